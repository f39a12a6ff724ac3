"""Parts of a failure as the explorer shows it."""


def primary(view):
    return next(position for position in view.positions if position.primary)


def column(position, executor):
    """Number or `original` -> cell."""
    place = position.executors.index(executor)
    return {row.number if not row.original else "original": row.cells[place]
            for row in position.candidates}  # fmt: skip
