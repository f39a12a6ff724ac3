// Browsers start no worker from a file. There the search runs in a hidden frame of the page instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.started = new Promise(done => {
        const script = inside.document.createElement("script")
        script.src = url
        script.onload = () => done(inside)
        inside.document.body.append(script)
      })
    }

    async postMessage(data) {
      const inside = await this.started
      inside.dispatchEvent(new inside.MessageEvent("message", { data }))
    }
  }
}
