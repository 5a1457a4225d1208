import { escapeCss, escapeHtml, escapeScript, escapeUnquoted, percentEncode } from './encode.ts'
import { type FillMode, fillMacros, type Macros, urlValue } from './fill.ts'

/** Attributes whose value is an address; `data-…-url` is one by its name. */
const ADDRESS_ATTRIBUTES =
  /^(?:href|src|srcset|action|formaction|poster|data|cite|background|ping|manifest|longdesc|content|xlink:href|data-[a-z-]*url)$/

/**
 * Fills the macros of HTML: each value is encoded for the place of its macro (text, attribute, address, script,
 * style, comment), so that no value can leave it. Follows the states of the HTML tokenizer (HTML Living Standard, 13.2.5) as far as a
 * value could end them.
 */
export function fillMarkup(html: string, macros: Macros, mode: FillMode = 'encoded'): string {
  let out = ''
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open === -1) return out + text(html.slice(at), macros)
    out += text(html.slice(at, open), macros)
    if (html.startsWith('<!--', open)) {
      const end = endOf(html, '-->', open + 4)
      out += fillMacros(html.slice(open, end), macros, percentEncode)
      at = end
      continue
    }
    const tag = /^<\/?[a-z][^\s/>]*/i.exec(html.slice(open, open + 100))?.[0]
    if (tag === undefined) {
      // A lone `<`, a doctype, a bogus comment: up to the next `>` nothing in it is shown.
      const end = endOf(html, '>', open + 1)
      out += fillMacros(html.slice(open, end), macros, percentEncode)
      at = end
      continue
    }
    const attributes = fillAttributes(html, open + tag.length, macros, mode)
    out += fillMacros(tag, macros, percentEncode) + attributes.text
    at = attributes.end
    const element = tag.slice(1).toLowerCase()
    if (element !== 'script' && element !== 'style') continue
    const close = new RegExp(`</${element}`, 'i').exec(html.slice(at))
    const end = close ? at + close.index : html.length
    const code = html.slice(at, end)
    out += element === 'script' ? fillScript(code, macros, mode) : fillMacros(code, macros, escapeCss)
    at = end
  }
  return out
}

/** Fills the macros of JavaScript: in strings that hold an address like a URL, elsewhere as text that a page could be given. */
export function fillScript(code: string, macros: Macros, mode: FillMode = 'encoded'): string {
  return fillMacros(code, macros, (value, _name, offset) => {
    const before = code.slice(Math.max(0, offset - 2048), offset)
    const opened = Math.max(...['"', "'", '`'].map((quote) => before.lastIndexOf(quote)))
    if (before.slice(opened + 1).includes('://')) return mode === 'literal' ? escapeScript(value) : percentEncode(value)
    // A script may write the text into its page, so it must not be markup there either.
    return escapeScript(escapeHtml(value))
  })
}

function text(part: string, macros: Macros): string {
  return fillMacros(part, macros, escapeHtml)
}

/** Attributes of a tag up to its `>`: names, `=`, and values with or without quotes. */
function fillAttributes(html: string, start: number, macros: Macros, mode: FillMode): { text: string; end: number } {
  let out = ''
  let at = start
  let name = ''
  while (at < html.length) {
    const rest = /[\s/>=]|[^\s/>=]+/y
    rest.lastIndex = at
    const token = rest.exec(html)?.[0] ?? ''
    if (token === '>') return { text: `${out}>`, end: at + 1 }
    if (token !== '=') {
      if (!/^[\s/]$/.test(token)) name = token.toLowerCase()
      out += fillMacros(token, macros, percentEncode)
      at += token.length
      continue
    }
    const value = valueAfter(html, at + 1)
    out += `=${value.lead}${value.quote}${fillValue(name, value.content, value.quote !== '', macros, mode)}${value.closed ? value.quote : ''}`
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

function fillValue(name: string, content: string, quoted: boolean, macros: Macros, mode: FillMode): string {
  const encode = quoted ? escapeHtml : escapeUnquoted
  // Escapes of a script hold no character that ends an attribute.
  if (name.startsWith('on')) return fillScript(content, macros, mode)
  if (name === 'style') return fillMacros(content, macros, escapeCss)
  // Markup inside markup: encoded for every place that it could have there.
  if (name === 'srcdoc') return fillMacros(content, macros, percentEncode)
  if (!ADDRESS_ATTRIBUTES.test(name)) return fillMacros(content, macros, encode)
  const start = content.length - content.trimStart().length
  return fillMacros(content, macros, (value, macro, offset) => encode(urlValue(value, macro, offset <= start, mode)))
}

function endOf(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found === -1 ? html.length : found + mark.length
}
