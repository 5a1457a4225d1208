import { DecodeFault } from './decode-fault.ts'

/** A part of a form: a field, or a file where it has a file name. */
export interface FormPart {
  readonly name: string
  readonly fileName: string | undefined
  /** A view of the body. */
  readonly bytes: Buffer
}

/** The largest form, the repair of a table, has a field for each wrong cell. */
const MAX_PARTS = 5_000
/** Name, file name and type of a part. */
const MAX_HEADER_BYTES = 2_048

const BLANK_LINE = Buffer.from('\r\n\r\n')

/**
 * Parts of a `multipart/form-data` body (RFC 7578) in their order, each found when it is asked for, so that a form can be refused by its first part. Takes time in
 * proportion to the bytes looked at. Throws DecodeFault for a body of another form, more than 5,000 parts, and headers of more than 2 KiB.
 */
export function* formParts(body: Buffer, contentType: string): Generator<FormPart> {
  const boundary = boundaryOf(contentType)
  if (boundary === undefined) throw new DecodeFault('content', 'names no boundary of 1 to 70 characters')
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const first = delimiter.subarray(2)
  let at = body.subarray(0, first.length).equals(first) ? first.length : -1
  for (let count = 1; ; count += 1) {
    if (at < 0) throw new DecodeFault('content', 'does not begin with its boundary, or has a part without an end')
    if (body[at] === 0x2d && body[at + 1] === 0x2d) return
    if (count > MAX_PARTS) throw new DecodeFault('size', `has more than ${MAX_PARTS} parts`)
    // The two bytes after a delimiter are its line break, with which the headers begin.
    const end = body.subarray(at, at + MAX_HEADER_BYTES).indexOf(BLANK_LINE)
    if (end < 0)
      throw new DecodeFault('size', `has a part without headers, or with headers of more than ${MAX_HEADER_BYTES} bytes`)
    const start = at + end + BLANK_LINE.length
    const next = body.indexOf(delimiter, start - 2)
    if (next < 0) throw new DecodeFault('content', 'has a part without an end')
    yield { ...namesIn(body.toString('utf8', at, at + end)), bytes: body.subarray(start, Math.max(start, next)) }
    at = next + delimiter.length
  }
}

/** RFC 2046, 5.1.1. */
function boundaryOf(contentType: string): string | undefined {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70})(?=\s*(?:;|$)))/i.exec(contentType.slice(0, 500)) ?? []
  return quoted ?? plain
}

function namesIn(headers: string): Pick<FormPart, 'name' | 'fileName'> {
  const disposition = /\r\ncontent-disposition:[ \t]*form-data([^\r\n]*)/i.exec(headers)?.[1]
  const name = /;[ \t]*name="([^"]*)"/i.exec(disposition ?? '')?.[1]
  if (name === undefined) throw new DecodeFault('content', 'has a part without a name')
  const fileName = /;[ \t]*filename="([^"]*)"/i.exec(disposition ?? '')?.[1]
  return { name: unescaped(name), fileName: fileName === undefined ? undefined : unescaped(fileName) }
}

/** What browsers write in place of line breaks and quotes (WHATWG HTML, multipart form data). */
function unescaped(name: string): string {
  return name.replaceAll(/%0A/gi, '\n').replaceAll(/%0D/gi, '\r').replaceAll('%22', '"')
}
