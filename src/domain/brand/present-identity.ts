import { ownValue } from '../own-value.ts'
import type { BrandDocument, RightsOffering } from './brands-file.ts'
import type { BrandHouse, IdentityField, RightsSummary, ShownIdentity } from './identity-document.ts'

/** Core identity, for everybody (AdCP brand/get-brand-identity-request.json: house, names, description and logos are always public). */
const PUBLIC: readonly IdentityField[] = ['description', 'industries', 'keller_type', 'logos', 'tagline']
/** What callers with an account get as well. */
const LINKED: readonly IdentityField[] = ['colors', 'fonts', 'visual_guidelines', 'tone', 'voice_synthesis', 'assets', 'rights']

/** Sections that a use case is about; another one gets everything. */
const USE_CASES: Readonly<Record<string, readonly IdentityField[]>> = {
  voice_synthesis: ['voice_synthesis', 'tone', 'tagline', 'rights'],
  voice: ['voice_synthesis', 'tone', 'rights'],
  likeness: ['logos', 'colors', 'visual_guidelines', 'assets', 'rights'],
}

export interface IdentityView {
  /** Of brands that name none of their own. */
  readonly house: BrandHouse
  /** Whether the caller has an account. */
  readonly linked: boolean
  readonly fields?: readonly IdentityField[] | undefined
  readonly useCase?: string | undefined
  /** Rights that can be had of the brand. */
  readonly rights?: readonly RightsOffering[]
}

/**
 * A brand as a caller may see it (AdCP brand/get-brand-identity-response.json). `available_fields` names what the brand has and an account would
 * show, of the sections that were asked for.
 */
export function presentIdentity(brand: BrandDocument, view: IdentityView): ShownIdentity {
  const asked = view.fields ?? ownValue(USE_CASES, view.useCase ?? '') ?? [...PUBLIC, ...LINKED]
  const sections = sectionsOf(brand, view)
  const present = asked.filter((field) => sections[field] !== undefined)
  const shown = present.filter((field) => view.linked || PUBLIC.includes(field))
  const withheld = new Set(present.filter((field) => !shown.includes(field)))
  const more = brand.logos?.some(({ audience }) => audience === 'linked') === true
  if (!view.linked && more && asked.includes('logos')) withheld.add('logos')
  return {
    brand_id: brand.brand_id,
    house: brand.house ?? view.house,
    names: brand.names,
    ...Object.fromEntries(shown.map((field) => [field, sections[field]])),
    ...(withheld.size > 0 && { available_fields: [...withheld] }),
  }
}

function sectionsOf(brand: BrandDocument, view: IdentityView): Partial<Record<IdentityField, unknown>> {
  const { description, industries, keller_type, colors, fonts, visual_guidelines, tone, tagline, voice_synthesis } = brand
  const logos = brand.logos?.filter(({ audience }) => view.linked || audience !== 'linked')
  const rights = rightsSummary(view.rights ?? [])
  return {
    description,
    industries,
    keller_type,
    colors,
    fonts,
    visual_guidelines,
    tone,
    tagline,
    voice_synthesis,
    ...(logos && logos.length > 0 && { logos: logos.map(({ audience: _audience, ...logo }) => logo) }),
    ...(brand.assets && { assets: assetsFor(brand.assets, view.useCase) }),
    ...(rights && { rights }),
  }
}

function assetsFor(assets: NonNullable<BrandDocument['assets']>, useCase: string | undefined) {
  const wanted = assets.filter(({ uses }) => useCase === undefined || !uses || uses.some((use) => use === useCase))
  return wanted.map(({ uses: _uses, ...asset }) => asset)
}

/** What can be had at all; prices and conditions are for get_rights. */
export function rightsSummary(offerings: readonly RightsOffering[]): RightsSummary | undefined {
  if (offerings.length === 0) return undefined
  const everywhere = offerings.some(({ countries }) => !countries)
  const excluded = offerings.map(({ excluded_countries: list = [] }) => list)
  const barred = (excluded[0] ?? []).filter((country) => excluded.every((list) => list.includes(country)))
  const restrictions = unique(offerings.flatMap(({ content_restrictions: list = [] }) => list))
  const exclusive = offerings.some(({ pricing_options: prices }) => prices.some((price) => price.exclusive))
  return {
    available_uses: unique(offerings.flatMap(({ available_uses: uses }) => uses)),
    ...(!everywhere && { countries: unique(offerings.flatMap(({ countries = [] }) => countries)) }),
    ...(barred.length > 0 && { excluded_countries: barred }),
    exclusivity_model: exclusive ? 'optional' : 'non_exclusive',
    ...(restrictions.length > 0 && { content_restrictions: restrictions }),
  }
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
