import { type InnerList, type Parameters, parseList, serializeInnerList } from 'structured-headers'
import { type ByteEncoding, parseByteSequence } from './byte-sequence.ts'
import { SignatureFault } from './challenge.ts'
import { parseContentDigest } from './content-digest.ts'
import { MalformedField, splitDictionary } from './dictionary.ts'
import { fieldValue, type HeaderFields } from './header-fields.ts'

/** The six parameters of the AdCP profile; times are Unix seconds. */
export interface SignatureParams {
  readonly created: number
  readonly expires: number
  readonly nonce: string
  readonly keyid: string
  readonly alg: string
  readonly tag: string
}

/** The one signature of a message that counts. */
export interface ParsedSignature {
  readonly components: readonly string[]
  /** What is missing is undefined. */
  readonly params: ReceivedParams
  /** The inner list with its parameters as received: last line of the signature base. */
  readonly signatureParams: string
  readonly signature: Uint8Array
  /** The sha-256 of a `Content-Digest` that is covered. */
  readonly contentDigest: Uint8Array | undefined
}

/** The parameters as far as they came. */
export type ReceivedParams = { readonly [Name in keyof SignatureParams]: SignatureParams[Name] | undefined }

/** Fields whose repetition would let two readers see two messages. */
const SINGLE_FIELDS = ['signature', 'signature-input', 'content-type', 'content-digest', 'host']

/**
 * Whether the message claims to be signed. One header without its twin counts as a claim, so that it is refused and never
 * falls back to another credential.
 */
export function isSigned(rawHeaders: readonly string[]): boolean {
  // Every call of every kind is asked, several times: without grouping its headers.
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (/^signature(-input)?$/i.test(name)) return true
  }
  return false
}

/**
 * Reads the signature labelled `sig1`, or the first when there is no such label; others are ignored (AdCP: exactly one
 * signature is processed). Throws {@link SignatureFault} `signature_header_malformed`.
 */
export function parseSignature(fields: HeaderFields, encodings: readonly ByteEncoding[]): ParsedSignature {
  for (const name of SINGLE_FIELDS) {
    if ((fields.get(name)?.length ?? 0) > 1) malformed(`header ${name} appears more than once`)
  }
  const inputs = dictionaryOf(fields, 'signature-input')
  const signatures = dictionaryOf(fields, 'signature')
  const label = inputs.has('sig1') ? 'sig1' : inputs.keys().next().value
  const signatureParams = inputs.get(label ?? '') ?? malformed('Signature-Input is empty')
  const [items, parameters] = parseInnerList(signatureParams)
  const components = items.map(([name, attributes]) => {
    if (typeof name !== 'string' || attributes.size > 0) return malformed('a covered component is not a plain quoted name')
    return name
  })
  if (new Set(components).size !== components.length) malformed('a component is covered twice')
  checkContentType(components, fields)
  const contentDigest = contentDigestOf(components, fields)
  const signature = signatureIn(signatures.get(label ?? '') ?? '', encodings)
  return { components, params: readParams(parameters), signatureParams, signature, contentDigest }
}

function signatureIn(member: string, encodings: readonly ByteEncoding[]): Uint8Array {
  for (const encoding of encodings) {
    const signature = parseByteSequence(member, encoding)
    if (signature) return signature
  }
  return malformed(`Signature has no byte sequence in ${encodings.join(' or ')} for the label of Signature-Input`)
}

function dictionaryOf(fields: HeaderFields, name: string): ReadonlyMap<string, string> {
  const value = fieldValue(fields, name) ?? malformed(`header ${name} is missing beside its twin`)
  return wellFormed(() => splitDictionary(value))
}

function parseInnerList(text: string): InnerList {
  const [list, ...rest] = wellFormed(() => parseList(text))
  if (rest.length > 0 || !list || !Array.isArray(list[0])) return malformed('Signature-Input member is not one inner list')
  const inner: InnerList = [list[0], list[1]]
  // The base holds the received text while RFC 9421 §2.5 speaks of its serialisation; only where both agree is there one
  // reading. A parameter given twice, which the parser would swallow, shows up here as well.
  if (serializeInnerList(inner) !== text) malformed('Signature-Input member is not in canonical form')
  return inner
}

function readParams(parameters: Parameters): ReceivedParams {
  const nonce = stringParam(parameters, 'nonce')
  // 128 bits are 22 characters of unpadded base64url; the upper bound keeps the replay store's rows small.
  if (nonce !== undefined && !/^[A-Za-z0-9_-]{22,256}$/.test(nonce)) malformed('nonce is not base64url of at least 128 bits')
  return {
    created: integerParam(parameters, 'created'),
    expires: integerParam(parameters, 'expires'),
    nonce,
    keyid: stringParam(parameters, 'keyid'),
    alg: stringParam(parameters, 'alg'),
    tag: stringParam(parameters, 'tag'),
  }
}

function stringParam(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name)
  return value === undefined || typeof value === 'string' ? value : malformed(`parameter ${name} is not a quoted string`)
}

function integerParam(parameters: Parameters, name: string): number | undefined {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  return typeof value === 'number' && Number.isInteger(value) ? value : malformed(`parameter ${name} is not an integer`)
}

/** A covered field must have one reading, whatever the later checks say about it. */
function checkContentType(components: readonly string[], fields: HeaderFields): void {
  const contentType = fieldValue(fields, 'content-type')
  if (components.includes('content-type') && contentType !== undefined && hasCommaOutsideQuotes(contentType)) {
    malformed('Content-Type holds more than one value')
  }
}

/** In one pass: an expression for quoted strings tries each quote of a value that ends inside one. */
function hasCommaOutsideQuotes(value: string): boolean {
  let quoteAt: number | undefined
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at]
    if (character === '"') quoteAt = quoteAt === undefined ? at : undefined
    else if (character === '\\' && quoteAt !== undefined) at += 1
    else if (character === ',' && quoteAt === undefined) return true
  }
  // What follows a quote without its end is in no string.
  return quoteAt !== undefined && value.includes(',', quoteAt)
}

/** The same holds for a digest; it is read once, here. */
function contentDigestOf(components: readonly string[], fields: HeaderFields): Uint8Array | undefined {
  const digest = components.includes('content-digest') ? fieldValue(fields, 'content-digest') : undefined
  return digest === undefined ? undefined : wellFormed(() => parseContentDigest(digest))
}

function wellFormed<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof MalformedField) return malformed(error.message)
    // structured-headers throws ParseError on text it cannot read and plain errors on values out of range.
    throw new SignatureFault('signature_header_malformed', 'header is not a structured field', { cause: error })
  }
}

function malformed(detail: string): never {
  throw new SignatureFault('signature_header_malformed', detail)
}
