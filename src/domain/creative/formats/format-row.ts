import type { Format, FormatAsset } from './format.ts'

/**
 * A format as a row of a list: its id, name and size, and the assets that a creative must bring. All assets and their requirements are
 * shown of formats that the caller names.
 */
export function formatRow({ format_id, name, renders, assets }: Format): Format {
  return {
    format_id,
    name,
    ...(renders && { renders }),
    ...(assets && { assets: assets.filter(({ required }) => required).map(bare) }),
  }
}

/** An asset slot without what makes it valid. */
function bare(asset: FormatAsset): FormatAsset {
  const slot = { ...asset }
  if (slot.item_type === 'individual') delete slot.asset_role
  if ('requirements' in slot) delete slot.requirements
  return slot
}
