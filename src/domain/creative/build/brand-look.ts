import type { BrandLook } from './copy.ts'

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
