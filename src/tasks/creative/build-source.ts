import type { BuildCreativeRequest, CreativeManifest } from '@adcp/sdk/types'
import { accountScopeOf } from '../../domain/account/account.ts'
import type { Assets } from '../../domain/creative/assets.ts'
import type { Creative } from '../../domain/creative/creative.ts'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCreative } from '../../store/creative/creatives.ts'

/** What a build starts from. */
export interface BuildSource {
  readonly assets: Assets
  /** Format of the source; absent when there is only a message. */
  readonly formatId: FormatKey | undefined
  /** The library creative that it is, when it is one. */
  readonly creative: Creative | undefined
  readonly manifest: Omit<CreativeManifest, 'format_id' | 'assets'>
  /** Path of the assets in the request, for errors. */
  readonly field: string
}

/**
 * The source that a request names: a library creative, which outranks a manifest (build-creative-request.json `creative_manifest`), else the
 * manifest, else only the message. Throws CREATIVE_NOT_FOUND, or INVALID_REQUEST when there is none of them.
 */
export async function buildSourceOf(request: BuildCreativeRequest, context: AuthenticatedContext): Promise<BuildSource> {
  const { creative_id: creativeId, concept_id: conceptId, creative_manifest: manifest, message } = request
  if (creativeId !== undefined) {
    const creative = await findCreative(context.db, accountScopeOf(context.principal, context.account), creativeId)
    if (!creative || (conceptId !== undefined && creative.content.conceptId !== conceptId)) {
      throw new AdcpError('CREATIVE_NOT_FOUND', 'creative_id is not in your library', { field: 'creative_id' })
    }
    const { assets, formatId, industryIdentifiers, provenance } = creative.content
    const more = { ...(industryIdentifiers && { industry_identifiers: industryIdentifiers }), ...(provenance && { provenance }) }
    return { assets, formatId, creative, manifest: more, field: 'creative_id' }
  }
  if (manifest) {
    const { format_id: formatId, assets, rights, industry_identifiers, provenance } = manifest
    const more = {
      ...(rights && { rights }),
      ...(industry_identifiers && { industry_identifiers }),
      ...(provenance && { provenance }),
    }
    return { assets, formatId, creative: undefined, manifest: more, field: 'creative_manifest.assets' }
  }
  if (message === undefined || message.trim() === '') {
    throw new AdcpError('INVALID_REQUEST', 'a build needs a message, a creative_manifest or a creative_id', { field: 'message' })
  }
  return { assets: {}, formatId: undefined, creative: undefined, manifest: {}, field: 'message' }
}
