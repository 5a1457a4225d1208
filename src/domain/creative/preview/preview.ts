import { AdcpError } from '../../../protocol/errors.ts'
import type { Assets } from '../assets.ts'
import type { PreviewInput } from '../creative.ts'
import type { FormatKey } from '../formats/format-id.ts'
import type { ShownItem } from '../macros/catalog-macros.ts'
import { type FormatScope, resolveFormat } from '../resolve-format.ts'
import { validateCreative } from '../validate-creative.ts'
import { type Rendered, renderCreative } from './render.ts'

/** How long the address of a preview works: a working day and a night, for a look by somebody else. */
export const PREVIEW_TTL_MS = 24 * 60 * 60_000

/** One creative to preview, with its place in the request. */
export interface PreviewJob {
  readonly manifest: { readonly format_id: FormatKey; readonly assets: Assets }
  /** Overrides the format of the manifest. */
  readonly formatId?: FormatKey | undefined
  readonly inputs?: readonly PreviewInput[] | undefined
  /** Items of the catalog that the creative shows, for one that has nothing else to show. */
  readonly items?: readonly ShownItem[] | undefined
  /** Path of the manifest in the request, for errors. */
  readonly field: string
}

export interface Preview {
  readonly input: PreviewInput
  readonly render: Rendered
}

/**
 * Renders a creative once for each set of inputs, each when it is asked for. Throws REFERENCE_NOT_FOUND for a format that is not taken here and
 * VALIDATION_ERROR for a creative that lacks a required asset or has nothing that can be shown.
 */
export function* previewCreative(
  { manifest, formatId, inputs, items, field }: PreviewJob,
  scope: FormatScope,
): Generator<Preview> {
  const wanted = formatId ?? manifest.format_id
  const format = resolveFormat(wanted, scope)
  if (format.kind === 'unknown') {
    throw new AdcpError('REFERENCE_NOT_FOUND', `${field}.format_id names no format of this seller; see list_creative_formats`, {
      field: `${field}.format_id`,
    })
  }
  // A wrong size is worth seeing; a missing piece cannot be shown.
  const missing = validateCreative(manifest.assets, format).find((finding) => finding.missing)
  if (missing) throw refusal(`${field}.${missing.field}`, missing.message)
  const known = format.kind === 'known' ? format.format.format : undefined
  for (const input of inputs ?? [{ name: 'Default' }]) {
    const render = renderCreative(manifest.assets, wanted, known, input.macros ?? {}, items)
    if (!render) throw refusal(`${field}.assets`, 'holds nothing that can be shown')
    yield { input, render }
  }
}

function refusal(field: string, message: string): AdcpError {
  return new AdcpError('VALIDATION_ERROR', `${field} ${message}`, { field })
}
