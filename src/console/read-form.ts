import type { IncomingMessage } from 'node:http'
import { AdcpError } from '../protocol/errors.ts'
import { BodyTooLarge, readBody } from '../transports/http/read-body.ts'

/** A form without a file, and one with a product file of some 10,000 products. */
const MAX_FIELDS_BYTES = 64 * 1024
const MAX_FILE_BYTES = 16 * 1024 * 1024

export interface ReadForm {
  readonly form: URLSearchParams
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | undefined
}

/** The fields of a form, and its file. Only the session of a person may send a large one (`isSignedIn`). Throws INVALID_REQUEST. */
export async function readForm(request: IncomingMessage, isSignedIn: boolean): Promise<ReadForm> {
  const type = request.headers['content-type'] ?? ''
  const isMultipart = type.startsWith('multipart/form-data') && isSignedIn
  const limit = isMultipart ? MAX_FILE_BYTES : MAX_FIELDS_BYTES
  const body = await readBody(request, limit).catch((error: unknown) => {
    if (!(error instanceof BodyTooLarge)) throw error
    throw new AdcpError('INVALID_REQUEST', `this form is larger than ${limit / 1024} KiB`, { http: { status: 413, headers: {} } })
  })
  if (!isMultipart) return { form: new URLSearchParams(body.toString('utf8')), file: undefined }
  const data = await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData().catch(() => {
    throw new AdcpError('INVALID_REQUEST', 'this form is no multipart/form-data (RFC 7578)')
  })
  const form = new URLSearchParams()
  let file: ReadForm['file']
  for (const [name, value] of data) {
    if (typeof value === 'string') form.append(name, value)
    else if (value.size > 0) file = { name: value.name, bytes: new Uint8Array(await value.arrayBuffer()) }
  }
  return { form, file }
}
