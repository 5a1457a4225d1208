import type { CreativeManifest } from '@adcp/sdk/types'
import { previewCreative } from '../../domain/creative/preview/preview.ts'
import type { FormatScope } from '../../domain/creative/resolve-format.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError, toWireError, type WireError } from '../../protocol/errors.ts'
import { type BuildRequest, severalTargets } from './build-options.ts'
import { type Published, publishPreviews } from './publish-previews.ts'

export type BuildPreview = { readonly preview: Published } | { readonly preview_error: WireError } | Record<string, never>

/**
 * The preview of a build, as include_preview asks for it: every set of inputs of a single build, one default for each of several. What keeps
 * it from being made is told and does not undo the build.
 */
export async function previewOfBuild(
  request: BuildRequest,
  context: AuthenticatedContext,
  scope: FormatScope,
  manifests: readonly CreativeManifest[],
): Promise<BuildPreview> {
  if (request.include_preview !== true) return {}
  const single = severalTargets(request) === undefined
  try {
    const output = request.preview_output_format ?? 'url'
    const rendered = manifests.map((manifest) => {
      const inputs = single ? request.preview_inputs : undefined
      return [...previewCreative({ manifest, inputs, field: 'creative_manifest' }, scope)]
    })
    const published = await publishPreviews(context, rendered.flat(), output)
    const previews = published.previews.map((preview, index) => ({
      ...preview,
      ...(!single && { format_id: manifests[index]?.format_id }),
    }))
    return { preview: { ...published, previews } }
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return { preview_error: toWireError(error) }
  }
}
