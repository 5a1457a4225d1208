// Draws each chart of a page from the numbers in its table, which stays for those who see no chart.
;(() => {
  /** The colours of the page as a canvas takes them: light or dark is settled by then. */
  function colours(element) {
    const probe = element.appendChild(document.createElement('span'))
    const [line, soft, grid] = ['--accent', '--soft', '--line'].map((name) => {
      probe.style.color = `var(${name})`
      return getComputedStyle(probe).color
    })
    probe.remove()
    return { line, soft, grid }
  }

  function dayOf(seconds) {
    return new Date(seconds * 1000).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
  }

  function hourOf(seconds) {
    return new Date(seconds * 1000).toISOString().slice(11, 16)
  }

  /** A column of the table as numbers; the first holds times. */
  function column(rows, index) {
    return rows.map((row) => {
      const text = row.cells[index].dataset.value
      return index === 0 ? Date.parse(text) / 1000 : Number(text)
    })
  }

  function draw(element) {
    const table = document.getElementById(element.dataset.table)
    const rows = [...(table?.querySelectorAll('tbody tr') ?? [])]
    if (rows.length === 0 || element.childElementCount > 0) return
    const { line, soft, grid } = colours(element)
    const value = Number(element.dataset.column ?? 1)
    const axis = { stroke: soft, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: '12px system-ui' }
    const time =
      element.dataset.step === 'hour'
        ? { incrs: [1, 2, 3, 6, 12].map((hours) => hours * 3600), values: (_plot, at) => at.map(hourOf) }
        : { incrs: [1, 2, 7, 14, 30, 90].map((days) => days * 86_400), values: (_plot, at) => at.map(dayOf) }
    const form =
      element.dataset.form === 'bars'
        ? { fill: line, paths: window.uPlot.paths.bars({ size: [0.7, 60], align: 0 }), points: { show: false } }
        : { fill: `color-mix(in srgb, ${line} 12%, transparent)`, points: { show: rows.length < 40 } }
    // Half a step beside the first and last bar, so that they are whole, and one alone is no line on an axis of years.
    const times = column(rows, 0)
    const half = (element.dataset.step === 'hour' ? 3600 : 86_400) / 2
    const ends =
      element.dataset.form === 'bars'
        ? {
            x: {
              range: (_plot, min, max) => (times.length === 1 ? [times[0] - half, times[0] + half] : [min - half, max + half]),
            },
          }
        : {}
    const options = {
      width: element.clientWidth,
      height: 240,
      tzDate: (seconds) => window.uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
      legend: { show: false },
      scales: { ...ends, y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
      axes: [
        { ...axis, ...time },
        { ...axis, size: 64 },
      ],
      series: [{}, { stroke: line, width: 2, ...form }],
    }
    const chart = new window.uPlot(options, [times, column(rows, value)], element)
    new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: 240 })).observe(element)
  }

  function drawAll() {
    for (const element of document.querySelectorAll('.chart[data-table]')) draw(element)
  }

  document.addEventListener('DOMContentLoaded', drawAll)
  document.addEventListener('htmx:after:swap', drawAll)
})()
