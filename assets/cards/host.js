// A card talks to the host that shows it by JSON-RPC over postMessage (MCP Apps, revision 2026-01-26). It has no network of its own: what it needs, it asks
// of the host, which asks its person or the seller.
const PROTOCOL = '2026-01-26'
const open = new Map()
const card = { input: {}, context: {}, canCall: false, onResult: () => undefined }
let lastId = 0

function send(message) {
  window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
}

function ask(method, params) {
  lastId += 1
  const id = lastId
  send({ id, method, params })
  return new Promise((resolve, reject) => open.set(id, { resolve, reject }))
}

/** Calls a tool of the seller through the host; gives its structured answer. Throws an Error with the seller's words for a refusal. */
async function callTool(name, args) {
  const result = await ask('tools/call', { name, arguments: args })
  const data = result.structuredContent ?? {}
  if (result.isError) throw new Error(wordsOf(data.adcp_error) ?? textOf(result) ?? 'the call failed')
  return data
}

function wordsOf(error) {
  return error && [error.message, error.suggestion].filter(Boolean).join('. ')
}

function textOf(result) {
  return result.content?.find((part) => part.type === 'text')?.text
}

/** Tells the model what its person did here; hosts without that do not need it. */
function tellModel(text, data) {
  if (card.capabilities?.updateModelContext)
    ask('ui/update-model-context', { content: [{ type: 'text', text }], structuredContent: data }).catch(() => undefined)
}

const handlers = {
  'ui/notifications/tool-input': ({ arguments: input }) => {
    card.input = input ?? {}
  },
  'ui/notifications/tool-result': (result) => show(result),
  'ui/notifications/tool-cancelled': () => render(el('p', {}, 'The call was cancelled.')),
  'ui/notifications/host-context-changed': (context) => dress(context),
}

window.addEventListener('message', ({ source, data }) => {
  if (source !== window.parent || data?.jsonrpc !== '2.0') return
  if (data.method !== undefined) {
    handlers[data.method]?.(data.params ?? {})
    if (data.id !== undefined)
      send(
        data.method === 'ping' || data.method === 'ui/resource-teardown'
          ? { id: data.id, result: {} }
          : { id: data.id, error: { code: -32601, message: 'Method not found' } },
      )
    return
  }
  const waiting = open.get(data.id)
  if (!waiting) return
  open.delete(data.id)
  if (data.error) waiting.reject(new Error(data.error.message))
  else waiting.resolve(data.result)
})

function show(result) {
  const data = result.structuredContent ?? {}
  if (result.isError)
    return render(el('p', { class: 'bad', role: 'alert' }, wordsOf(data.adcp_error) ?? textOf(result) ?? 'The call failed.'))
  card.onResult(data)
}

/** Takes over theme, fonts and colours of the host. */
function dress(context) {
  Object.assign(card.context, context)
  const root = document.documentElement
  if (context.theme) root.style.colorScheme = context.theme
  for (const [name, value] of Object.entries(context.styles?.variables ?? {}))
    if (value !== undefined) root.style.setProperty(name, value)
  if (context.locale) root.lang = context.locale
}

/** An element; texts go in as text, never as markup. */
function el(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name === 'value') element.value = value
    else element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== false && child !== ''))
  return element
}

/** Shows elements in place of those before; the focus goes to what was asked for. */
function render(...elements) {
  document.querySelector('main').replaceChildren(...elements.flat(Infinity).filter(Boolean))
  document.querySelector('[data-focus]')?.focus()
}

/** Name and value pairs; those without a value are left out. */
function facts(pairs) {
  return el(
    'dl',
    {},
    pairs
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
  )
}

const localeOf = () => card.context.locale ?? undefined
/** Amounts and days in the language of the host; as they are where the browser refuses a currency, language or time zone. */
function formatted(format, plain) {
  try {
    return format()
  } catch {
    return plain
  }
}
const number = (value, options) => formatted(() => new Intl.NumberFormat(localeOf(), options).format(value), String(value))
const money = (value, currency) => {
  const isCode = /^[A-Z]{3}$/i.test(currency)
  const plain = currency ? `${number(value)} ${currency}` : number(value)
  return isCode ? number(value, { style: 'currency', currency, maximumFractionDigits: 4 }) : plain
}
const day = (text) =>
  text && !Number.isNaN(Date.parse(text))
    ? formatted(
        () =>
          new Intl.DateTimeFormat(localeOf(), { dateStyle: 'medium', timeZone: card.context.timeZone }).format(new Date(text)),
        String(text),
      )
    : text
const words = (text) => String(text ?? '').replaceAll('_', ' ')

/** Tells the host how high the card is, so that nothing scrolls within it. */
new ResizeObserver(() => {
  const { scrollWidth: width, scrollHeight: height } = document.documentElement
  send({ method: 'ui/notifications/size-changed', params: { width, height } })
}).observe(document.body)

ask('ui/initialize', {
  appInfo: { name: 'adcp-sales-agent', version: '1' },
  appCapabilities: {},
  protocolVersion: PROTOCOL,
}).then(({ hostContext, hostCapabilities }) => {
  card.capabilities = hostCapabilities ?? {}
  card.canCall = hostCapabilities?.serverTools !== undefined
  dress(hostContext ?? {})
  send({ method: 'ui/notifications/initialized', params: {} })
})
