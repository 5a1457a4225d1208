import { extensionOf, fileTypeOf } from '../../ad-serving/house/files/file-type.ts'
import { MOST_BYTES } from '../../ad-serving/house/files/host-content.ts'
import { storeFilesOf } from '../../ad-serving/house/files/store-files.ts'
import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { addHouseFileUse } from '../../store/house/house-files.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Largest files that people upload, in bytes. */
export const MOST_UPLOADED = { image: MOST_BYTES.image, video: MOST_BYTES.video } as const

/** Files that people upload stay, whatever uses them. */
const UPLOADED = 'upload'

/**
 * Stores an image or a video that the publisher's people have, and gives the address under which the embedded ad server serves it. Throws INVALID_REQUEST for a
 * file of another type, or a larger one.
 */
export async function uploadCreativeFile(context: OperatorContext, tenantId: string, name: string, content: Buffer) {
  const type = await fileTypeOf(content)
  if (type?.kind !== 'image' && type?.kind !== 'video')
    throw refused(
      `${name} is ${type ? type.mimeType : 'of an unknown type'}; send a PNG, JPEG, GIF or WebP image, or an MP4, WebM or QuickTime video`,
    )
  const most = MOST_BYTES[type.kind]
  if (content.length > most) throw refused(`${name} has ${content.length} bytes; a file of this type may have ${most}`)
  const fileId = await storeFilesOf(context.store, tenantId, context.clock)(content, type.mimeType)
  const store = auditedStore(context, { task: 'creatives.upload', tenant: tenantId, subject: name })
  await store.transaction((tx) => addHouseFileUse(tx, tenantId, UPLOADED, fileId))
  const origin = adsOrigin(context.config.ads, publicOrigin(context.config))
  return {
    url: `${origin}/ads/files/${tenantId}/${fileId}.${extensionOf(type.mimeType)}`,
    mime_type: type.mimeType,
    size: content.length,
    ...(type.size && { width: type.size.width, height: type.size.height }),
  }
}

function refused(message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field: 'file' })
}
