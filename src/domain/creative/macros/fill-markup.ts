import { escapeCss, escapeHtml, escapeScript, escapeUnquoted, percentEncode } from './encode.ts'
import { type FillMode, fillMacros, type Macros, urlValue } from './fill.ts'

/** Attributes whose value is an address; `data-…-url` is one by its name. */
const ADDRESS_ATTRIBUTES =
  /^(?:href|src|srcset|action|formaction|poster|data|cite|background|ping|manifest|longdesc|content|xlink:href|data-[a-z-]*url)$/

const TAG = /^<\/?[a-z][^\s/>]*/i

/**
 * Fills the macros of HTML: each value is encoded for the place of its macro (text, attribute, address, script,
 * style, comment), so that no value can leave it. Follows the states of the HTML tokenizer (HTML Living Standard, 13.2.5) as far as a
 * value could end them.
 */
export function fillMarkup(html: string, macros: Macros, mode: FillMode = 'encoded'): string {
  const encoders = encodersFor(mode)
  const text = (part: string) => fillMacros(part, macros, encoders.text)
  const unseen = (part: string) => fillMacros(part, macros, encoders.percent)
  let out = ''
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open === -1) return out + text(html.slice(at))
    out += text(html.slice(at, open))
    if (html.startsWith('<!--', open)) {
      const end = endOf(html, '-->', open + 4)
      out += unseen(html.slice(open, end))
      at = end
      continue
    }
    const tag = TAG.exec(html.slice(open, open + 100))?.[0]
    if (tag === undefined) {
      // A lone `<`, a doctype, a bogus comment: up to the next `>` nothing in it is shown.
      const end = endOf(html, '>', open + 1)
      out += unseen(html.slice(open, end))
      at = end
      continue
    }
    const attributes = fillAttributes(html, open + tag.length, macros, encoders)
    out += unseen(tag) + attributes.text
    at = attributes.end
    const element = tag.slice(1).toLowerCase()
    if (element !== 'script' && element !== 'style') continue
    const close = new RegExp(`</${element}`, 'i').exec(html.slice(at))
    const end = close ? at + close.index : html.length
    const code = html.slice(at, end)
    out += element === 'script' ? fillCode(code, macros, encoders) : fillMacros(code, macros, encoders.css)
    at = end
  }
  return out
}

/** Fills the macros of JavaScript: in strings that hold an address like a URL, elsewhere as text that a page could be given. */
export function fillScript(code: string, macros: Macros, mode: FillMode = 'encoded'): string {
  return fillCode(code, macros, encodersFor(mode))
}

function fillCode(code: string, macros: Macros, { scriptAddress, scriptText }: Encoders): string {
  const isInAddress = addressesIn(code)
  return fillMacros(code, macros, (value, name, offset) => (isInAddress(offset) ? scriptAddress : scriptText)(value, name))
}

/** Characters behind its `://` within which a text is still looked at as an address. */
const MOST_ADDRESS = 2048

/** Says of places in code, from the first to the last, whether the string that they are in holds an address before them. Goes through the code once. */
function addressesIn(code: string): (offset: number) => boolean {
  const marks = code.matchAll(/["'`]|:\/\//g)
  let next = marks.next()
  let quoteAt = -1
  let addressAt = -1
  return (offset) => {
    for (; !next.done && next.value.index + next.value[0].length <= offset; next = marks.next()) {
      if (next.value[0] === '://') addressAt = next.value.index
      else quoteAt = next.value.index
    }
    return addressAt > quoteAt && addressAt >= offset - MOST_ADDRESS
  }
}

type Encoders = ReturnType<typeof encodersFor>

/** How a value is encoded in each place of one document. */
function encodersFor(mode: FillMode) {
  const address = (encode: (value: string) => string, atStart: boolean) =>
    once((value, name) => encode(urlValue(value, name, atStart, mode)))
  return {
    text: once(escapeHtml),
    unquoted: once(escapeUnquoted),
    percent: once(percentEncode),
    css: once(escapeCss),
    // A script may write the text into its page, so it must not be markup there either.
    scriptText: once((value) => escapeScript(escapeHtml(value))),
    scriptAddress: once(mode === 'literal' ? escapeScript : percentEncode),
    quotedAddress: { start: address(escapeHtml, true), inside: address(escapeHtml, false) },
    unquotedAddress: { start: address(escapeUnquoted, true), inside: address(escapeUnquoted, false) },
  }
}

/** Encodes the value of each macro once, however often the macro occurs: a document may have eighteen thousand. */
function once(encode: (value: string, name: string) => string): (value: string, name: string) => string {
  const encoded = new Map<string, string>()
  return (value, name) => {
    const known = encoded.get(name) ?? encode(value, name)
    encoded.set(name, known)
    return known
  }
}

/** Attributes of a tag up to its `>`: names, `=`, and values with or without quotes. */
function fillAttributes(html: string, start: number, macros: Macros, encoders: Encoders): { text: string; end: number } {
  const rest = /[\s/]+|[>=]|[^\s/>=]+/y
  let out = ''
  let at = start
  let name = ''
  while (at < html.length) {
    rest.lastIndex = at
    const token = rest.exec(html)?.[0] ?? ''
    if (token === '>') return { text: `${out}>`, end: at + 1 }
    if (token !== '=') {
      if (!/^[\s/]/.test(token)) name = token.toLowerCase()
      out += fillMacros(token, macros, encoders.percent)
      at += token.length
      continue
    }
    const value = valueAfter(html, at + 1)
    out += `=${value.lead}${value.quote}${fillValue(name, value.content, value.quote !== '', macros, encoders)}${value.closed ? value.quote : ''}`
    at = value.end
  }
  return { text: out, end: at }
}

function valueAfter(html: string, from: number) {
  const lead = /^\s*/.exec(html.slice(from, from + 100))?.[0] ?? ''
  const start = from + lead.length
  const quote = html[start] === '"' || html[start] === "'" ? (html[start] ?? '') : ''
  if (quote === '') {
    const unquoted = /[^\s>]*/y
    unquoted.lastIndex = start
    const content = unquoted.exec(html)?.[0] ?? ''
    return { lead, quote, content, closed: false, end: start + content.length }
  }
  const close = html.indexOf(quote, start + 1)
  const end = close === -1 ? html.length : close
  return { lead, quote, content: html.slice(start + 1, end), closed: close !== -1, end: close === -1 ? end : end + 1 }
}

function fillValue(name: string, content: string, quoted: boolean, macros: Macros, encoders: Encoders): string {
  // Escapes of a script hold no character that ends an attribute.
  if (name.startsWith('on')) return fillCode(content, macros, encoders)
  if (name === 'style') return fillMacros(content, macros, encoders.css)
  // Markup inside markup: encoded for every place that it could have there.
  if (name === 'srcdoc') return fillMacros(content, macros, encoders.percent)
  if (!ADDRESS_ATTRIBUTES.test(name)) return fillMacros(content, macros, quoted ? encoders.text : encoders.unquoted)
  const start = content.length - content.trimStart().length
  const address = quoted ? encoders.quotedAddress : encoders.unquotedAddress
  return fillMacros(content, macros, (value, macro, offset) => (offset <= start ? address.start : address.inside)(value, macro))
}

function endOf(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found === -1 ? html.length : found + mark.length
}
