import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { DecodeFault } from './decode-fault.ts'
import type { Decoder } from './decoders.ts'
import { isRecord } from './feed-record.ts'
import { SOAP_TYPE, type SoapElement } from './soap-element.ts'
import { xmlText } from './xml-text.ts'

/** The bytes of a SOAP 1.1 envelope, in UTF-8. */
export interface SoapInput {
  readonly bytes: Uint8Array
}

const TEXT = '#text'
const CDATA = '#cdata'
/** Envelope, body, answer, result, list, element and its structure. */
const MAX_NESTING = 40

/** The child of the body of an envelope: what a call gives, or its fault, by name. Throws DecodeFault. */
export const soapAnswer: Decoder<SoapInput, SoapElement> = async function* ({ bytes }) {
  const text = new TextDecoder().decode(bytes)
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw unreadable('must not declare a document type')
  if (XMLValidator.validate(text) !== true) throw unreadable('is not well-formed XML')
  const body = memberOf(memberOf(parsed(text), 'Envelope'), 'Body')
  if (!isRecord(body)) throw unreadable('is no SOAP envelope with a body')
  const found = plain(body)
  yield isRecord(found) ? found : {}
}

function parsed(text: string): unknown {
  const parser = new XMLParser({
    processEntities: false,
    removeNSPrefix: true,
    ignoreAttributes: (name) => !/(^|:)type$/.test(name),
    attributeNamePrefix: '@',
    trimValues: false,
    parseTagValue: false,
    parseAttributeValue: false,
    textNodeName: TEXT,
    cdataPropName: CDATA,
    maxNestedTags: MAX_NESTING,
  })
  try {
    return parser.parse(text)
  } catch {
    throw unreadable('is not XML that can be read')
  }
}

function plain(node: unknown): unknown {
  if (typeof node === 'string') return xmlText(node)
  if (Array.isArray(node)) return node.map(plain)
  if (!isRecord(node)) return node
  const { [TEXT]: text, [CDATA]: cdata, [SOAP_TYPE]: type, ...children } = node
  const members = Object.entries(children).map(([name, child]) => [name, plain(child)])
  if (members.length === 0)
    return `${typeof text === 'string' ? xmlText(text) : ''}${Array.isArray(cdata) ? cdata.join('') : (cdata ?? '')}`
  return { ...(typeof type === 'string' && { [SOAP_TYPE]: type.slice(type.indexOf(':') + 1) }), ...Object.fromEntries(members) }
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}

function unreadable(problem: string): DecodeFault {
  return new DecodeFault('content', problem)
}
