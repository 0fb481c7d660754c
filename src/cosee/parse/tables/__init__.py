"""Tables of a page: their grids, columns, rows, headers and cells, and the HTML that holds them."""
