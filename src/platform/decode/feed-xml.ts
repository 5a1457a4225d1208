import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { DecodeFault } from './decode-fault.ts'
import { type FeedRecord, isRecord } from './feed-record.ts'
import { xmlText } from './xml-text.ts'

const TEXT = '#text'
const CDATA = '#cdata'
/** Elements that represent one record, of RSS 2.0, Atom and job feeds. */
const RECORDS: ReadonlySet<string> = new Set(['item', 'entry', 'job', 'product', 'offer', 'hotel', 'listing', 'store'])
/** A record's own fields lie at most this deep: channel, item, field, and one level of structure. */
const MAX_NESTING = 32

/**
 * Records of an XML feed. Documents with a document type are refused, so nothing can define an entity; namespace prefixes are dropped (`g:id` → `id`).
 * Throws DecodeFault.
 */
export function readXml(text: string): FeedRecord[] {
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw unreadable('must not declare a document type')
  if (XMLValidator.validate(text) !== true) throw unreadable('is not well-formed XML')
  const parser = new XMLParser({
    processEntities: false,
    removeNSPrefix: true,
    parseTagValue: false,
    textNodeName: TEXT,
    cdataPropName: CDATA,
    maxNestedTags: MAX_NESTING,
    isArray: (name) => RECORDS.has(name),
  })
  const root = parsed(parser, text)
  const records = findRecords(root)
  if (!records) throw unreadable('holds no items')
  return records.map((record) => asObject(plain(record)))
}

function parsed(parser: XMLParser, text: string): unknown {
  try {
    return parser.parse(text)
  } catch {
    throw unreadable('is not XML that can be read')
  }
}

/** The first list of record elements, looked for from the root down. */
function findRecords(node: unknown, depth = 0): readonly unknown[] | undefined {
  if (!isRecord(node) || depth > 4) return undefined
  for (const [name, child] of Object.entries(node)) if (RECORDS.has(name) && Array.isArray(child)) return child
  for (const child of Object.values(node)) {
    const found = findRecords(child, depth + 1)
    if (found) return found
  }
  return undefined
}

/** An element as plain data: text where it holds only text, else its children. */
function plain(node: unknown): unknown {
  if (typeof node === 'string') return xmlText(node)
  if (Array.isArray(node)) return node.map(plain)
  if (!isRecord(node)) return node
  const { [TEXT]: text, [CDATA]: cdata, ...children } = node
  if (Object.keys(children).length > 0) return Object.fromEntries(Object.entries(children).map(([k, v]) => [k, plain(v)]))
  const raw = Array.isArray(cdata) ? cdata.join('') : (cdata ?? '')
  return `${typeof text === 'string' ? xmlText(text) : ''}${raw}`.trim()
}

function unreadable(problem: string): DecodeFault {
  return new DecodeFault('content', problem)
}

function asObject(value: unknown): FeedRecord {
  return isRecord(value) ? value : { title: value }
}
