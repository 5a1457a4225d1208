import type { IncomingMessage } from 'node:http'
import { cleanedText, notText } from '../domain/fit-text.ts'
import { MOST_FIELDS_BYTES, MOST_FORM_BYTES } from '../operator/size-limits.ts'
import { DecodeFault } from '../platform/decode/decode-fault.ts'
import { formParts } from '../platform/decode/multipart.ts'
import { AdcpError } from '../protocol/errors.ts'
import { BodyTooLarge, readBody } from '../transports/http/read-body.ts'

/** The field that says which session a form was made for. It is the first of every form of ours. */
const TOKEN_FIELD = 'csrf'

export interface ReadForm {
  readonly form: URLSearchParams
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | undefined
}

export interface FormRules {
  /** Only the session of a person may send a large form. */
  readonly isSignedIn: boolean
  /** Whether a form with this token was made for the session. */
  isOwn(token: string): boolean
}

/**
 * The fields of a form, and its file. Throws INVALID_REQUEST, and PERMISSION_DENIED for a form that none of our pages sent to this browser: of one with a file
 * before anything but its first part is looked at.
 */
export async function readForm(request: IncomingMessage, { isSignedIn, isOwn }: FormRules): Promise<ReadForm> {
  const type = request.headers['content-type'] ?? ''
  const isMultipart = type.startsWith('multipart/form-data') && isSignedIn
  const limit = isMultipart ? MOST_FORM_BYTES : MOST_FIELDS_BYTES
  const body = await readBody(request, limit).catch((error: unknown) => {
    if (!(error instanceof BodyTooLarge)) throw error
    throw new AdcpError('INVALID_REQUEST', `this form is larger than ${limit / 1024} KiB`, { http: { status: 413, headers: {} } })
  })
  if (isMultipart) return wellFormed(readParts(body, type, isOwn))
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

function readParts(body: Buffer, type: string, isOwn: FormRules['isOwn']): ReadForm {
  const form = new URLSearchParams()
  let file: ReadForm['file']
  let isChecked = false
  try {
    for (const { name, fileName, bytes } of formParts(body, type)) {
      if (!isChecked && !(name === TOKEN_FIELD && isOwn(bytes.toString('utf8')))) throw foreignForm()
      isChecked = true
      if (fileName === undefined) form.append(name, bytes.toString('utf8'))
      else if (bytes.length > 0) file = { name: fileName, bytes }
    }
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    throw new AdcpError(
      'INVALID_REQUEST',
      `this form is no multipart/form-data that is read here (RFC 7578): it ${error.message}`,
    )
  }
  if (!isChecked) throw foreignForm()
  return { form, file }
}

/** The error for a form that none of our pages sent to this browser. */
export function foreignForm(): AdcpError {
  const message = 'this form was made for another session or sent by another site; go back, reload the page and try again'
  return new AdcpError('PERMISSION_DENIED', message, { http: { status: 403 } })
}
