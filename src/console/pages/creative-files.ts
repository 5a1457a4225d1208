import { MOST_UPLOADED, uploadCreative } from '../../operator/creatives/upload-file.ts'
import { MOST_FORM_BYTES } from '../../operator/size-limits.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, doAct } from '../do-act.ts'
import { orAgain } from '../form-outcome.ts'
import { type Html, html } from '../html.ts'
import { csrfField, facts, heading } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, largeForm, page, type TenantCall } from '../route.ts'

/** Files that the publisher's people host for their own orders. */
export const creativeFileRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/creatives/files', uploadCreative, async (call) => filePage(call)),
  largeForm(actRoute('POST', '/creatives/files', uploadCreative, orAgain(answerFile, refusedFile))),
]

type Hosted = Awaited<ReturnType<typeof uploadCreative.run>>

async function answerFile(call: TenantCall): Promise<Answer> {
  const { file } = call
  if (!file) throw new AdcpError('INVALID_REQUEST', 'choose a file', { field: 'file' })
  const hosted = await doAct(call, uploadCreative, { name: file.name, content: Buffer.from(file.bytes) })
  return filePage(call, { body: result(file.name, hosted) })
}

function refusedFile(call: TenantCall, refusal: AdcpError): Answer {
  return filePage(call, { refusal, body: html`<p class="notice bad" role="alert">${refusal.message}</p>` })
}

function filePage(call: TenantCall, { refusal, body }: { readonly refusal?: AdcpError; readonly body?: Html } = {}): Answer {
  const images = MOST_UPLOADED.image / 1_000_000
  const form = html`<section class="panel narrow"><form method="post" action="${call.base}/creatives/files" enctype="multipart/form-data">${csrfField(call)}
<div class="field"><label for="file">Image, video or HTML5 archive</label><input id="file" name="file" type="file" accept="image/png,image/jpeg,image/gif,image/webp,video/mp4,video/webm,video/quicktime,.zip,application/zip" required></div>
<p class="hint">PNG, JPEG, GIF or WebP of up to ${images} MB; MP4, WebM or QuickTime of up to ${MOST_FORM_BYTES / (1024 * 1024)} MiB (larger ones: <code>sales-agent creatives upload</code>); a zip archive with an <code>index.html</code> of up to ${MOST_UPLOADED.zip / 1_000_000} MB. What the file holds counts, not its name. The address is for your own <a href="${call.base}/direct-orders">direct orders</a>.</p>
<button class="primary">Host the file</button></form></section>`
  return page('Host a file', html`${heading('Host a file')}${body}${form}`, { refusal })
}

function result(name: string, { url, mime_type: type, size, width, height }: Hosted): Html {
  return html`<section class="panel" role="status"><h2>${name} is hosted</h2>${facts([
    ['Address', html`<a href="${url}" target="_blank" rel="noopener noreferrer"><code>${url}</code></a>`],
    ['Type', type],
    ['Size', `${size} bytes`],
    ['Pixels', width === undefined ? undefined : `${width} × ${height}`],
  ])}</section>`
}
