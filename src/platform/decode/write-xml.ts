import { XMLBuilder } from 'fast-xml-parser'
import { mapSteps, type Steps } from '../concurrency/steps.ts'

/** An element: its text, or its children by name in the order in which they are written; a list is several of one name, a member `@name` an attribute. Undefined is left out. */
export type XmlValue = string | number | boolean | undefined | readonly XmlValue[] | { readonly [name: string]: XmlValue }

/** Characters that XML 1.0 has no way to write (§2.2); halves of surrogate pairs become U+FFFD when the text is encoded. */
const UNWRITABLE = /(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu

/** An XML document; characters that XML cannot have are left out. */
export function writeXml(root: { readonly [name: string]: XmlValue }): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${newBuilder().build(writable(root))}`
}

/** A document of one element that ends with many of one name, in steps: `last` gives them, after the others of `root`. */
export function* writeLongXml<T>(
  root: string,
  first: { readonly [name: string]: XmlValue },
  last: { readonly name: string; readonly items: readonly T[]; readonly element: (item: T, index: number) => XmlValue },
): Steps<string> {
  const { name, items, element } = last
  const builder = newBuilder()
  const written = yield* mapSteps(items, (item, index) => builder.build(writable({ [name]: element(item, index) })))
  const end = `</${root}>`
  return `${writeXml({ [root]: first }).slice(0, -end.length)}${written.join('')}${end}`
}

function newBuilder(): XMLBuilder {
  return new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@', suppressBooleanAttributes: false })
}

function writable(value: XmlValue): unknown {
  if (typeof value === 'string') return value.replaceAll(UNWRITABLE, '')
  if (Array.isArray(value)) return value.map(writable)
  if (typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, child]) => (child === undefined ? [] : [[name, writable(child)]])),
  )
}
