// The theme's search has the role of a dialog and no name.
document.querySelector("[data-md-component=search]")?.setAttribute("aria-label", "Search")
