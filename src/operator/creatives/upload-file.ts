import { extensionOf, type FileType, fileTypeOf } from '../../ad-serving/embedded/files/file-type.ts'
import { MOST_BYTES, storeBundle } from '../../ad-serving/embedded/files/host-content.ts'
import { storeFilesOf } from '../../ad-serving/embedded/files/store-files.ts'
import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import { DecodeFault } from '../../platform/decode/decode-fault.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { addEmbeddedFileUse } from '../../store/embedded/files.ts'
import { type ActContext, definePersonAct } from '../act.ts'
import { atMost, type Field, required, text } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { SELLERS } from '../roles.ts'

/** Largest files that people upload, in bytes. */
export const MOST_UPLOADED = MOST_BYTES

/** Files that people upload are kept, whether something uses them or not. */
const UPLOADED = 'upload'

/** A file that a person chose, whole. */
const FILE: Field<Buffer, true> = {
  about: 'the file',
  schema: {},
  required: true,
  words: 'a file that a person chose',
  check: (value): value is Buffer => Buffer.isBuffer(value),
  parse: undefined,
  local: true,
}

/**
 * Stores an image, a video or an HTML5 archive that the publisher's people have, and gives the address under which the embedded ad server serves it: of an archive that of
 * its page. Throws INVALID_REQUEST for a file of another type, or a larger one, CREATIVE_REJECTED for an archive that cannot be served.
 */
export const uploadCreative = definePersonAct({
  name: 'creatives.upload',
  roles: SELLERS,
  changes: true,
  subject: 'name',
  fields: { name: required(atMost(255, text('name of the file'))), content: FILE },
  run: upload,
})

async function upload(context: ActContext, { name, content }: { readonly name: string; readonly content: Buffer }) {
  const { tenantId, store } = context
  const type = await fileTypeOf(content).catch((error: unknown) => {
    throw error instanceof DecodeFault ? refused(`${name} ${error.message}`) : error
  })
  if (!type)
    throw refused(
      `${name} is of an unknown type; send a PNG, JPEG, GIF or WebP image, an MP4, WebM or QuickTime video, or a zip archive with an HTML5 creative`,
    )
  const most = MOST_UPLOADED[type.kind]
  if (content.length > most) throw refused(`${name} has ${content.length} bytes; a file of this type may have ${most}`)
  context.noteChanges({ mime_type: [null, type.mimeType], bytes: [null, content.length] })
  const { id, path } = await stored(context, tenantId, content, type)
  await store.transaction((tx) => addEmbeddedFileUse(tx, tenantId, UPLOADED, id))
  const origin = adsOrigin(context.config.ads, publicOrigin(context.config))
  return {
    url: `${origin}/ads/files/${tenantId}/${path}`,
    mime_type: type.mimeType,
    size: content.length,
    ...(type.size && { width: type.size.width, height: type.size.height }),
  }
}

/** Stores a file or unpacks an archive: its id, and the end of its address. */
async function stored(
  { store, clock }: OperatorContext,
  tenantId: string,
  content: Buffer,
  { kind, mimeType }: FileType,
): Promise<{ readonly id: string; readonly path: string }> {
  const storeFile = storeFilesOf(store, tenantId, clock)
  if (kind === 'zip') {
    const { bundleId, entryPoint } = await storeBundle(content, {}, storeFile)
    return { id: bundleId, path: [bundleId, ...entryPoint.split('/')].map(encodeURIComponent).join('/') }
  }
  const id = await storeFile(content, mimeType)
  return { id, path: `${id}.${extensionOf(mimeType)}` }
}

function refused(message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field: 'file' })
}
