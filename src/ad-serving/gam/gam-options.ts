import { ownValidator } from '../../protocol/own-validators.ts'
import { CUSTOM_FIELDS, type CustomFields } from './custom-fields.ts'

/** What a product is in Google Ad Manager. Ids are those of the network. */
export interface GamProduct {
  readonly adUnits?: readonly string[]
  readonly placements?: readonly string[]
  /** Ad units that its lines are not shown in, nor in those below them. */
  readonly excludedAdUnits?: readonly string[]
  /** Browsers that its lines are shown in; default: all. */
  readonly browsers?: readonly string[]
  /** Where in a video its lines are shown; default: anywhere. */
  readonly videoPositions?: readonly VideoPosition[]
  /** Bundles of video content that its lines are shown with; default: any. */
  readonly contentBundles?: readonly string[]
  /** `width x height` in pixels, e.g. `300x250`. */
  readonly sizes: readonly string[]
  /** Keys and values that every line of the product targets; each key has to match, with any of its values. */
  readonly keyValues?: readonly { readonly key: string; readonly values: readonly string[] }[]
  /** The ads are shown in a video player. */
  readonly video?: boolean
  /** How many of its creatives a page shows at once, as for takeovers; default: one or more. */
  readonly roadblocking?: Roadblocking
  /** Share in percent of what there is that a flat price buys; default: 100. */
  readonly share?: number
  /** Priority of its lines; default: that of their type. */
  readonly priority?: number
  /** Lines that are not guaranteed are of the type BULK, not PRICE_PRIORITY. */
  readonly bulk?: boolean
  /** Labels of its lines, such as those of competitors that are not shown together. */
  readonly labels?: readonly string[]
  /** Custom fields of its lines. */
  readonly customFields?: CustomFields
}

/** VideoPositionEnum of the REST API, VideoPosition.Type of the SOAP API. */
export const VIDEO_POSITIONS = ['PREROLL', 'MIDROLL', 'POSTROLL'] as const
export type VideoPosition = (typeof VIDEO_POSITIONS)[number]

/** RoadblockingTypeEnum but for CREATIVE_SET: no order says which creatives are a set. */
export const ROADBLOCKING = ['ONE_OR_MORE', 'ONLY_ONE', 'AS_MANY_AS_POSSIBLE', 'ALL_ROADBLOCK'] as const
export type Roadblocking = (typeof ROADBLOCKING)[number]

/** Settings of a network. */
export interface GamOptions {
  /** Network code. */
  readonly network: string
  /** E-mail of the user who is responsible for orders. Default: the service account's own user. */
  readonly trafficker?: string
  /** Company ids by account of the buyer. An account without one gets a company of its own. */
  readonly advertisers: Readonly<Record<string, string>>
  /** What products are, by product id. */
  readonly products: Readonly<Record<string, GamProduct>>
  /** Orders are approved by us, or submitted for the approval of a person. */
  readonly approval: 'own' | 'person'
  /** Guaranteed lines may be booked although the forecast has no room for them. */
  readonly overbook: boolean
  /** Who puts creatives on lines: people at the network, or this program by the SOAP API. */
  readonly creatives: 'by_hand' | 'api'
  /** Creative templates that cards are made by, by format id. */
  readonly creativeTemplates: Readonly<Record<string, GamTemplate>>
  /** Ids of the geo targets of regions, by ISO 3166-2 code: the network does not know these codes. */
  readonly places: Readonly<Record<string, string>>
  /** Ids of audience segments of the network, by the audience that an order is targeted by. */
  readonly audiences: Readonly<Record<string, string>>
  /** Teams that orders belong to. */
  readonly teams: readonly string[]
  /** Custom fields of orders. */
  readonly customFields: CustomFields
  /** Version of the SOAP API, e.g. `v202608`. */
  readonly soapVersion?: string
  /** Origin of the APIs; for tests. */
  readonly endpoint?: string
}

/** A creative template of the network. */
export interface GamTemplate {
  readonly template: string
  /** Its variables, by the part of a card that fills them. */
  readonly variables: Readonly<Partial<Record<CardPart, string>>>
}

/** Parts of a card (native ad). */
export const CARD_PARTS = ['title', 'body', 'cta', 'sponsor', 'image', 'logo', 'click_url'] as const
export type CardPart = (typeof CARD_PARTS)[number]

/** Name that the build compiles their validator under. */
export const GAM_OPTIONS = 'options of google_ad_manager'

const ID = { type: 'string', pattern: '^[0-9]{1,20}$' }
const IDS = { type: 'array', items: ID, maxItems: 500 }
/** What {@link readGamOptions} reads. */
export const GAM_OPTIONS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['network'],
  properties: {
    network: ID,
    trafficker: { type: 'string', pattern: '^[^"\\\\\\s]+@[^"\\\\\\s]+$', maxLength: 254 },
    advertisers: { type: 'object', additionalProperties: ID },
    products: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['sizes'],
        anyOf: [{ required: ['adUnits'] }, { required: ['placements'] }],
        properties: {
          adUnits: { ...IDS, minItems: 1 },
          placements: { ...IDS, minItems: 1 },
          excludedAdUnits: { ...IDS, minItems: 1 },
          browsers: { ...IDS, minItems: 1 },
          videoPositions: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: VIDEO_POSITIONS } },
          contentBundles: { ...IDS, minItems: 1 },
          sizes: { type: 'array', minItems: 1, maxItems: 50, items: { type: 'string', pattern: '^[0-9]{1,5}x[0-9]{1,5}$' } },
          keyValues: {
            type: 'array',
            maxItems: 20,
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['key', 'values'],
              properties: { key: ID, values: { ...IDS, minItems: 1 } },
            },
          },
          video: { type: 'boolean' },
          roadblocking: { enum: ROADBLOCKING },
          share: { type: 'integer', minimum: 1, maximum: 100 },
          priority: { type: 'integer', minimum: 1, maximum: 16 },
          bulk: { type: 'boolean' },
          labels: { ...IDS, maxItems: 50 },
          customFields: CUSTOM_FIELDS,
        },
      },
    },
    approval: { type: 'string', enum: ['own', 'person'] },
    overbook: { type: 'boolean' },
    creatives: { type: 'string', enum: ['by_hand', 'api'] },
    creativeTemplates: {
      type: 'object',
      maxProperties: 100,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['template', 'variables'],
        properties: {
          template: ID,
          variables: {
            type: 'object',
            minProperties: 1,
            additionalProperties: false,
            properties: Object.fromEntries(CARD_PARTS.map((part) => [part, { type: 'string', minLength: 1, maxLength: 127 }])),
          },
        },
      },
    },
    places: {
      type: 'object',
      maxProperties: 5000,
      propertyNames: { pattern: '^[A-Z]{2}-[A-Z0-9]{1,3}$' },
      additionalProperties: ID,
    },
    audiences: { type: 'object', maxProperties: 5000, additionalProperties: ID },
    teams: { ...IDS, maxItems: 50 },
    customFields: CUSTOM_FIELDS,
    soapVersion: { type: 'string', pattern: '^v20[0-9]{4}$' },
    endpoint: { type: 'string', pattern: '^https?://' },
  },
} as const

const DEFAULTS = {
  advertisers: {},
  products: {},
  approval: 'own',
  overbook: false,
  creatives: 'by_hand',
  creativeTemplates: {},
  places: {},
  audiences: {},
  teams: [],
  customFields: {},
} as const

/** Reads the options of the type `google_ad_manager`. Throws an Error that names the member, what is wrong with it and what belongs there. */
export function readGamOptions(options: Readonly<Record<string, unknown>>): GamOptions {
  const check = ownValidator<Partial<GamOptions> & Pick<GamOptions, 'network'>>(GAM_OPTIONS, GAM_OPTIONS_SCHEMA)
  const value: unknown = options
  if (check(value)) return requireSoldUnits({ ...DEFAULTS, ...value })
  const faults = (check.errors ?? []).slice(0, 10).map(({ instancePath, message, params }) => {
    const extra = 'additionalProperty' in params ? ` (${String(params.additionalProperty)})` : ''
    return `options${instancePath.replaceAll('/', '.')} ${message}${extra}`
  })
  throw new Error(faults.join('; '))
}

/** Units that are sold and excluded at once are not sold at all. Throws an Error that names the product and the units. */
function requireSoldUnits(options: GamOptions): GamOptions {
  for (const [id, { adUnits = [], excludedAdUnits = [] }] of Object.entries(options.products)) {
    const sold = new Set(adUnits)
    const both = excludedAdUnits.filter((unit) => sold.has(unit)).slice(0, 10)
    if (both.length > 0)
      throw new Error(
        `options.products.${id}.excludedAdUnits has ${both.join(', ')}, which adUnits sells; leave it out of one of the two (an excluded unit is below a sold one)`,
      )
  }
  return options
}
