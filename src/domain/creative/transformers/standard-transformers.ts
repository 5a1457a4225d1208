import { NATIVE_JSON } from '../build/build-assets.ts'
import { COLOURS } from '../build/style.ts'
import type { Format } from '../formats/format.ts'
import { renderSize } from '../preview/render.ts'
import type { BuildConfig, Transformer, TransformerConfig, TransformerParam } from './transformer.ts'

const HEADLINE: TransformerParam = {
  field: 'headline',
  description: 'Headline, in place of the given one',
  source: 'text',
  maxLength: 90,
}
const BODY: TransformerParam = { field: 'body', description: 'Text below the headline', source: 'text', maxLength: 200 }
const CTA: TransformerParam = { field: 'cta', description: 'Text of the button', source: 'text', maxLength: 25 }

const CATALOG: TransformerParam = {
  field: 'catalog',
  description: 'The synced catalog of the account whose items the ad shows',
  source: 'account',
  what: 'catalog',
}

const colour = (field: string, description: string): TransformerParam => ({
  field,
  description,
  source: 'choice',
  type: 'string',
  values: Object.keys(COLOURS),
})

const factor = (field: string, description: string): TransformerParam => ({
  field,
  description,
  source: 'range',
  minimum: 0.5,
  maximum: 2.5,
})

const PLAIN_ONLY: ReadonlyMap<string, TransformerConfig> = new Map([['plain', {}]])

const THEMES: ReadonlyMap<string, TransformerConfig> = new Map<string, TransformerConfig>([
  ['plain', {}],
  ['dark', { background: 'dark', accent: 'yellow' }],
  ['light', { background: 'light', accent: 'navy' }],
  ['text_only', { picture: false, headline_scale: 1.3 }],
  ['large_headline', { headline_scale: 1.6, text_scale: 0.9 }],
  ['teal', { background: 'teal', accent: 'white' }],
  ['navy', { background: 'navy', accent: 'orange' }],
  ['warm', { background: 'yellow', accent: 'red' }],
])

/** Whether one of the single slots of a format takes one of these types of asset. */
function hasSlot({ assets }: Format, ...types: readonly string[]): boolean {
  return (assets ?? []).some((slot) => slot.item_type === 'individual' && types.includes(slot.asset_type))
}

const hasNative = ({ assets }: Format): boolean =>
  (assets ?? []).some((slot) => slot.item_type === 'individual' && slot.asset_id === NATIVE_JSON)

/** What the template builder makes: assembled from given pieces by fixed rules, so that the same input always gives the same creative. */
export const STANDARD_TRANSFORMERS: readonly Transformer[] = [
  {
    id: 'html_display',
    name: 'HTML display ad',
    description:
      'Assembles texts, a picture and a link into a self-contained HTML ad, or a script tag that shows it, laid out for the size of the format; adapts an ad that was made here to another size. Fixed templates: no picture or text is generated.',
    keywords: ['display', 'banner', 'html', 'html5', 'tag', 'javascript', 'resize', 'size', 'image'],
    params: [
      HEADLINE,
      BODY,
      CTA,
      colour('background', 'Colour behind the texts; the ink follows by contrast'),
      colour('accent', 'Colour of the button'),
      factor('headline_scale', 'Factor on the size of the headline'),
      factor('text_scale', 'Factor on the size of all other text'),
      { field: 'picture', description: 'Whether the picture shows', source: 'choice', type: 'boolean', values: [true, false] },
      CATALOG,
    ],
    takes: (format) => hasSlot(format, 'image', 'text', 'html', 'javascript', 'catalog', 'brief'),
    makes: (format, formatId) => hasSlot(format, 'html', 'javascript') && renderSize(formatId, format) !== undefined,
    themes: THEMES,
  },
  {
    id: 'native_ad',
    name: 'Native ad',
    description:
      'Makes a native ad (OpenRTB Native 1.2) of the texts, picture and link of a display ad. Texts are taken over, never rewritten.',
    keywords: ['native', 'feed', 'openrtb', 'sponsored'],
    params: [HEADLINE, BODY, CTA, CATALOG],
    takes: (format) => hasSlot(format, 'image', 'text', 'html', 'catalog', 'brief'),
    makes: hasNative,
    themes: PLAIN_ONLY,
  },
  {
    id: 'vast_tag',
    name: 'VAST document',
    description:
      'Puts a hosted film into a VAST 4.2 document with its clicks and trackers. The film is neither cut nor encoded anew.',
    keywords: ['video', 'vast', 'film', 'spot', 'ctv', 'olv', 'television'],
    params: [HEADLINE],
    takes: (format) => hasSlot(format, 'video', 'vast', 'brief'),
    makes: (format) => hasSlot(format, 'vast'),
    themes: PLAIN_ONLY,
  },
  {
    id: 'daast_tag',
    name: 'DAAST document',
    description: 'Puts a hosted audio file into a DAAST 1.0 document with its clicks and trackers. The audio is not changed.',
    keywords: ['audio', 'daast', 'podcast', 'radio'],
    params: [HEADLINE],
    takes: (format) => hasSlot(format, 'audio', 'daast'),
    makes: (format) => hasSlot(format, 'daast'),
    themes: PLAIN_ONLY,
  },
]

/** What a checked configuration changes of an ad. */
export function readConfig(config: TransformerConfig): BuildConfig {
  const text = (field: string) => (typeof config[field] === 'string' ? config[field] : undefined)
  const number = (field: string) => (typeof config[field] === 'number' ? config[field] : undefined)
  const [background, accent] = ['background', 'accent'].map((field) => COLOURS[text(field) ?? ''])
  const [headlineScale, textScale] = [number('headline_scale'), number('text_scale')]
  const [headline, body, cta] = [text('headline'), text('body'), text('cta')]
  const catalogId = text('catalog')
  return {
    style: {
      ...(background !== undefined && { background }),
      ...(accent !== undefined && { accent }),
      ...(headlineScale !== undefined && { headlineScale }),
      ...(textScale !== undefined && { textScale }),
    },
    texts: {
      ...(headline !== undefined && { headline }),
      ...(body !== undefined && { body }),
      ...(cta !== undefined && { cta }),
    },
    withoutPicture: config.picture === false,
    ...(catalogId !== undefined && { catalogId }),
  }
}
