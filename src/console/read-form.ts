import type { IncomingMessage } from 'node:http'
import { cleanedText, notText } from '../domain/fit-text.ts'
import { DecodeFault } from '../platform/decode/decode-fault.ts'
import { type FormPart, formParts } from '../platform/decode/multipart.ts'
import type { BodySender } from '../platform/net/body-room.ts'
import { AdcpError } from '../protocol/errors.ts'
import { BodyTooLarge, readBody } from '../transports/http/read-body.ts'

/** The field that says which session a form was made for. It is the first of every form of ours. */
const TOKEN_FIELD = 'csrf'

/** Bytes of all fields of a form but the file that one carries: what is refused is shown again, and each character is escaped. */
const MOST_OF_FIELDS = 1_000_000
/** The field that carries a file from step to step, packed or, of other programs, as it is. */
const CARRIED = ['packed', 'text']

/** The part of the token in a form with a file, with its boundary and headers, is less. */
const OPENING_BYTES = 4_096

export interface ReadForm {
  readonly form: URLSearchParams
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | undefined
}

export interface FormRules {
  /** Whether the form may have parts, and so a file. */
  readonly mayHaveParts: boolean
  readonly maxBytes: number
  readonly sender: BodySender
  /** Whether a form with this token was made for the session. */
  isOwn(token: string): boolean
}

/**
 * The fields of a form, and its file. Throws INVALID_REQUEST, and PERMISSION_DENIED for a form that none of our pages sent to this browser: of one with a file
 * before more than its first part is read.
 */
export async function readForm(
  request: IncomingMessage,
  { mayHaveParts, maxBytes, sender, isOwn }: FormRules,
): Promise<ReadForm> {
  const type = request.headers['content-type'] ?? ''
  const isMultipart = type.startsWith('multipart/form-data') && mayHaveParts
  const opening = { bytes: OPENING_BYTES, check: (beginning: Buffer) => void ownParts(beginning, type, isOwn).next() }
  const most = isMultipart ? maxBytes : Math.min(maxBytes, MOST_OF_FIELDS)
  const rules = { maxBytes: most, sender, ...(isMultipart && { opening }) }
  const body = await readBody(request, rules).catch((error: unknown) => {
    if (!(error instanceof BodyTooLarge)) throw error
    throw new AdcpError('INVALID_REQUEST', `this form is larger than ${Math.floor(most / 1024)} KiB`, {
      http: { status: 413, headers: {} },
    })
  })
  if (isMultipart) return wellFormed(readParts(ownParts(body, type, isOwn)))
  const form = new URLSearchParams(body.toString('utf8'))
  if (!isOwn(form.get(TOKEN_FIELD) ?? '')) throw foreignForm()
  return wellFormed({ form, file: undefined })
}

/** The form. Throws INVALID_REQUEST for one with a text that no store takes. */
function wellFormed(read: ReadForm): ReadForm {
  for (const [name, value] of read.form) {
    const wrong = notText(name) ?? notText(value)
    if (wrong !== undefined) throw new AdcpError('INVALID_REQUEST', `${cleanedText(name)} ${wrong}`, { field: cleanedText(name) })
  }
  return read
}

function readParts(parts: Iterable<FormPart>): ReadForm {
  const form = new URLSearchParams()
  let file: ReadForm['file']
  let size = 0
  for (const { name, fileName, bytes } of parts) {
    if (fileName !== undefined) {
      if (bytes.length > 0) file = { name: fileName, bytes }
      continue
    }
    if (!CARRIED.includes(name)) size += bytes.length
    if (size > MOST_OF_FIELDS)
      throw new AdcpError('INVALID_REQUEST', `the fields of this form are larger than ${Math.floor(MOST_OF_FIELDS / 1024)} KiB`, {
        http: { status: 413, headers: {} },
      })
    form.append(name, textOf(name, bytes))
  }
  return { form, file }
}

function textOf(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new AdcpError('INVALID_REQUEST', `${cleanedText(name)} is no UTF-8 text`, { field: cleanedText(name) })
  }
}

/** The parts of a form, the first of which is its token. */
function* ownParts(body: Buffer, type: string, isOwn: FormRules['isOwn']): Generator<FormPart> {
  let isChecked = false
  try {
    for (const part of formParts(body, type)) {
      if (!isChecked && !(part.name === TOKEN_FIELD && isOwn(part.bytes.toString('utf8')))) throw foreignForm()
      isChecked = true
      yield part
    }
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    throw new AdcpError(
      'INVALID_REQUEST',
      `this form is no multipart/form-data that is read here (RFC 7578): it ${error.message}`,
    )
  }
  if (!isChecked) throw foreignForm()
}

/** The error for a form that none of our pages sent to this browser. */
export function foreignForm(): AdcpError {
  const message = 'this form was made for another session or sent by another site; go back, reload the page and try again'
  return new AdcpError('PERMISSION_DENIED', message, { http: { status: 403 } })
}
