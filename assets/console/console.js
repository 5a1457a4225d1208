// Live pages: the server says that something changed, and the page takes its content anew. Without this script a reload does the same.
;(() => {
  /** At most one refresh in so many milliseconds. */
  const PAUSE_MS = 1500
  const AGAIN_MS = 60_000
  let source
  let isPlanned = false
  /** Whether something changed while nobody saw the page. */
  let isMissed = false
  let refreshedAt = Number.NEGATIVE_INFINITY

  /** A page in which somebody writes or chooses stays as it is. */
  function isBusy(content) {
    const active = document.activeElement
    const isWriting = active instanceof HTMLElement && active.matches('input, textarea, select') && content.contains(active)
    const begun = 'details[open] textarea, details[open] input:not([type=hidden]), .option.choose :checked'
    return isWriting || content.querySelector(begun) !== null
  }

  function refresh() {
    isPlanned = false
    refreshedAt = performance.now()
    const content = document.getElementById('content')
    isMissed = document.hidden
    if (!content || document.hidden || isBusy(content)) return
    const url = new URL(window.location.href)
    url.searchParams.delete('done')
    window.htmx.ajax('GET', url.pathname + url.search, {
      target: '#content',
      select: '#content',
      selectOOB: '#waiting',
      swap: 'outerMorph',
    })
  }

  /** What arrives while somebody has begun to write is left out; the next change brings it. */
  function onSwap(event) {
    const content = document.getElementById('content')
    if (event.detail?.ctx?.target === content && content && isBusy(content)) event.preventDefault()
  }

  function connect() {
    const address = document.getElementById('content')?.dataset.live
    if (!address || source) return
    source = new EventSource(address)
    // A refusal (too many pages are open, the session is over) ends the stream for good: it is asked for again later.
    source.addEventListener('error', () => {
      if (source?.readyState !== EventSource.CLOSED) return
      source = undefined
      setTimeout(connect, AGAIN_MS)
    })
    source.addEventListener('change', () => {
      if (isPlanned) return
      isPlanned = true
      setTimeout(refresh, Math.max(0, refreshedAt + PAUSE_MS - performance.now()))
    })
  }

  /** What opens for writing, by key. */
  const WRITTEN = { c: 'conditions', q: 'question', r: 'reject' }

  /** Keys of the inbox: j and k go from card to card, a goes to the approval, c, q and r open what is written, x chooses a creative. */
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input:not([type=checkbox]), textarea, select'))
      return
    const cards = [...document.querySelectorAll('.decision')]
    if (cards.length === 0) return
    const at = cards.findIndex((card) => card.contains(document.activeElement))
    if (event.key === 'j') cards[Math.min(at + 1, cards.length - 1)].focus()
    if (event.key === 'k') cards[Math.max(at - 1, 0)].focus()
    if (event.key === 'a') cards[at]?.querySelector('button.primary')?.focus()
    if (event.key === 'x') cards[at]?.querySelector('.choose input')?.click()
    const details = WRITTEN[event.key] && cards[at]?.querySelector(`details.${WRITTEN[event.key]}`)
    if (!details) return
    details.open = true
    details.querySelector('textarea').focus()
    event.preventDefault()
  }

  /** Buttons that copy a text or print are there with scripts alone. */
  function showScriptButtons() {
    for (const button of document.querySelectorAll('button[data-print][hidden]')) button.hidden = false
    if (navigator.clipboard === undefined) return
    for (const button of document.querySelectorAll('button[data-copy][hidden]')) button.hidden = false
  }

  function onPrint({ target }) {
    if (target instanceof Element && target.closest('button[data-print]')) window.print()
  }

  async function onCopy({ target }) {
    const button = target instanceof Element ? target.closest('button[data-copy]') : null
    if (!button) return
    await navigator.clipboard.writeText(button.dataset.copy)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, PAUSE_MS)
  }

  /** On small screens the menu is one line: the page that is shown is brought into view. */
  function showPlace() {
    const link = document.querySelector('.side nav [aria-current]')
    const list = link?.closest('nav')
    if (list) list.scrollLeft = link.offsetLeft - list.clientWidth / 2 + link.offsetWidth / 2
  }

  document.addEventListener('htmx:before:swap', onSwap)
  document.addEventListener('click', onCopy)
  document.addEventListener('click', onPrint)
  document.addEventListener('DOMContentLoaded', showScriptButtons)
  document.addEventListener('htmx:after:settle', showScriptButtons)
  document.addEventListener('DOMContentLoaded', connect)
  document.addEventListener('DOMContentLoaded', showPlace)
  document.addEventListener('keydown', onKey)
  document.addEventListener('visibilitychange', () => isMissed && refresh())
  window.addEventListener('pagehide', () => source?.close())
  if (document.readyState !== 'loading') {
    connect()
    showScriptButtons()
    showPlace()
  }
})()
