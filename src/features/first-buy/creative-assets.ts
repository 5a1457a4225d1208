import type { ListCreativeFormatsResponse } from '@adcp/sdk/types'

export type OfferedFormat = NonNullable<ListCreativeFormatsResponse['formats']>[number]

type Slot = NonNullable<OfferedFormat['assets']>[number]

/** Assets for the first of the formats whose required slots are images, addresses and texts; undefined when there is none. */
export function creativeFor(
  formats: readonly OfferedFormat[],
): { readonly format: OfferedFormat; readonly assets: Readonly<Record<string, object>> } | undefined {
  for (const format of formats) {
    const slots = (format.assets ?? []).filter((slot) => slot.required || slotId(slot) === 'click_url')
    const filled = slots.map((slot) => [slotId(slot), assetFor(slot, format)] as const)
    const isFilled = filled.every((entry): entry is readonly [string, object] => entry[1] !== undefined)
    if (slots.some(({ required }) => required) && isFilled) return { format, assets: Object.fromEntries(filled) }
  }
  return undefined
}

function slotId(slot: Slot): string {
  return 'asset_id' in slot && typeof slot.asset_id === 'string' ? slot.asset_id : ''
}

function assetFor(slot: Slot, format: OfferedFormat): object | undefined {
  if (slot.item_type !== 'individual') return undefined
  const requirements: unknown = 'requirements' in slot ? slot.requirements : undefined
  switch (slot.asset_type) {
    case 'image': {
      const [width, height] = [numberIn(requirements, 'min_width'), numberIn(requirements, 'min_height')]
      const size = width && height ? { width, height } : sizeOf(format)
      return size && { asset_type: 'image', url: `https://cdn.acme.example/${size.width}x${size.height}.png`, ...size }
    }
    case 'url':
      return { asset_type: 'url', url: 'https://acme.example/trail-shoes' }
    case 'text':
      return { asset_type: 'text', content: 'Acme trail shoes'.slice(0, numberIn(requirements, 'max_length')) }
    default:
      return undefined
  }
}

function sizeOf({ renders }: OfferedFormat): { width: number; height: number } | undefined {
  const [first] = renders ?? []
  const dimensions: unknown = first && 'dimensions' in first ? first.dimensions : undefined
  const [width, height] = [numberIn(dimensions, 'width'), numberIn(dimensions, 'height')]
  return width && height ? { width, height } : undefined
}

function numberIn(value: unknown, name: string): number | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'number' ? found : undefined
}
