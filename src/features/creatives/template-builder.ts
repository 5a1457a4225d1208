import { addressesOf } from '../../domain/creative/build/addresses.ts'
import { buildAssets } from '../../domain/creative/build/build-assets.ts'
import { type Copy, copyOf, requireAllowedClaims } from '../../domain/creative/build/copy.ts'
import { requireDisclosable } from '../../domain/creative/build/disclosures.ts'
import { displayAd } from '../../domain/creative/build/display-ad.ts'
import { earlierBuild } from '../../domain/creative/build/earlier-build.ts'
import { type Directions, readMessage } from '../../domain/creative/build/read-message.ts'
import { PLAIN, type Style, type StyleChange, scale } from '../../domain/creative/build/style.ts'
import { type CatalogItem, itemMacros, shownItem } from '../../domain/creative/macros/catalog-macros.ts'
import { fillMarkup } from '../../domain/creative/macros/fill-markup.ts'
import { STANDARD_TRANSFORMERS } from '../../domain/creative/transformers/standard-transformers.ts'
import type { BuildConfig } from '../../domain/creative/transformers/transformer.ts'
import type { BuildJob, BuiltCreative, CreativeBuilder, ItemPreview } from './creative-builder.ts'

/** A builder of fixed templates: the same job always gives the same creative, and nothing of it leaves this process. */
export function createTemplateBuilder(): CreativeBuilder {
  return {
    name: 'template-builder',
    description:
      'Fixed templates, no language or image model: words come from the message, the brief, the assets and the catalog; pictures and films are ' +
      'placed, never made or retouched. Instructions that no rule covers are named in the notes.',
    transformers: STANDARD_TRANSFORMERS,
    build: async (job) => build(job),
  }
}

function build(job: BuildJob): BuiltCreative {
  const { brand, catalog, field, format, size } = job
  const earlier = earlierBuild(job.assets)
  const assets = { ...earlier?.pieces, ...job.assets }
  const directions = configured(readMessage(job.message), job.config)
  requireDisclosable(format, assets, field)
  const item = aboutItem(catalog?.items ?? [], directions, job.message)
  const addresses = addressesOf({
    ...job,
    assets,
    directions,
    catalog: item && catalog ? { ...catalog, items: [item] } : catalog,
  })
  const copy: Copy = { ...copyOf({ assets, directions, brand, item }), ...addresses }
  requireAllowedClaims(copy, assets, field)
  const style = styleOf(job, directions, earlier?.style)
  const plan = { format, size, source: assets, copy, style, directions, ownCode: earlier !== undefined }
  return {
    assets: buildAssets({ ...plan, universalAdId: job.universalAdId }),
    notes: directions.unread.map((sentence) => `not followed: ${sentence}`),
    items: size
      ? (catalog?.items ?? []).map((each) => itemPreview(each, catalog?.catalogId, { job, directions, copy, style }))
      : [],
  }
}

/** What a message says, with the settings of a transformer in the place of what they name. */
function configured(directions: Directions, config: BuildConfig | undefined): Directions {
  if (!config) return directions
  const { texts, style, grow, removed } = directions
  return {
    ...directions,
    texts: { ...texts, ...config.texts },
    style: { ...style, ...config.style },
    grow: {
      headline: config.style.headlineScale === undefined ? grow.headline : 1,
      text: config.style.textScale === undefined ? grow.text : 1,
    },
    removed: config.withoutPicture ? [...removed, 'image'] : removed,
  }
}

/** The item that an ad is about: the only one, or the one whose title the message names. */
function aboutItem(items: readonly CatalogItem[], { subject }: Directions, message: string | undefined): CatalogItem | undefined {
  if (items.length === 1) return items[0]
  const text = `${subject ?? ''} ${message ?? ''}`.toLowerCase()
  return items.find((item) => {
    const { title } = shownItem(item)
    return title !== undefined && title.length > 2 && text.includes(title.toLowerCase())
  })
}

/** A refinement changes what the earlier build left; colours of the brand are where it starts. */
function styleOf({ brand }: BuildJob, { style, grow }: Directions, earlier: StyleChange | undefined): Style {
  const before: Style = { ...PLAIN, ...(brand?.accent !== undefined && { accent: brand.accent }), ...earlier }
  return {
    ...before,
    ...style,
    headlineScale: scale(before.headlineScale * grow.headline),
    textScale: scale(before.textScale * grow.text),
  }
}

interface Whole {
  readonly job: BuildJob
  readonly directions: Directions
  readonly copy: Copy
  readonly style: Style
}

/** The ad as it shows one item: the item's own words and picture, and its values in the place of the macros. */
function itemPreview(item: CatalogItem, catalogId: string | undefined, { job, directions, copy, style }: Whole): ItemPreview {
  const { title, description } = shownItem(item)
  const own = copyOf({ assets: job.assets, directions: { ...directions, texts: {} }, brand: job.brand, item })
  const shown: Copy = {
    ...copy,
    ...own,
    headline: title ?? copy.headline,
    body: description ?? copy.body,
    image: own.image ?? copy.image,
  }
  const macros = itemMacros(item, catalogId)
  const size = job.size ?? { width: 300, height: 250 }
  return { name: title ?? macros.SKU ?? 'Item', html: fillMarkup(displayAd(size, shown, style), macros) }
}
