import type { BrandEntry } from '../../brand/brand-json.ts'
import type { BrandLook } from './copy.ts'
import { isColour } from './style.ts'

/** What a domain alone says of its brand: the label before the public suffix, as a name. */
export function brandOfDomain(domain: string): BrandLook {
  const labels = domain
    .toLowerCase()
    .split('.')
    .filter((label) => label !== '' && label !== 'www')
  const label = labels.at(-2) ?? labels[0] ?? domain
  const name = label
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ')
  return { domain: domain.toLowerCase(), name }
}

/** The brand as its own file describes it (AdCP brand.json `names`, `colors.primary`). */
export function brandOfFile(plain: BrandLook, { names, fields }: Pick<BrandEntry, 'names' | 'fields'>): BrandLook {
  const english = names.find((name) => name.en !== undefined)?.en
  const [first] = Object.values(names[0] ?? {})
  const colors = fields.colors
  const { primary }: Readonly<Record<string, unknown>> = typeof colors === 'object' && colors !== null ? { ...colors } : {}
  const [accent]: unknown[] = Array.isArray(primary) ? primary : [primary]
  return { ...plain, name: english ?? first ?? plain.name, ...(isColour(accent) && { accent: accent.toLowerCase() }) }
}
