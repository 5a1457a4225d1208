import type { IncomingMessage } from 'node:http'
import type { Slot } from '../../ad-serving/embedded/decide.ts'
import type { Visitor } from '../../ad-serving/embedded/visitor.ts'
import { sizeOfText } from '../../domain/ad-serving/place-tag.ts'
import { allowsId } from '../../domain/consent/allows-id.ts'
import type { AnyIdentifier } from '../../domain/directory/property-identifier.ts'
import { readWords } from '../../domain/keyword-match.ts'
import { readConsent } from '../../platform/decode/consent.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { fieldOf } from '../../protocol/field-of.ts'
import type { Schemas, Validate } from '../../protocol/schemas.ts'
import type { Device } from './device.ts'

/** What a page asks (schemas/ad-decision-request.json). */
export interface DecisionRequest {
  readonly placements: readonly {
    readonly id?: string
    readonly place: string
    readonly kind?: Slot['kind']
    readonly sizes?: readonly string[]
    readonly packages?: readonly string[]
  }[]
  readonly page_url?: string
  readonly key_values?: Readonly<Record<string, readonly string[]>>
  /** Exposure tokens of Trusted Match by the macros that they fill. */
  readonly exposure_tokens?: Readonly<Record<string, string>>
  readonly keywords?: readonly string[]
  /** Where the ad is shown, for apps and screens; a page is known by its host. */
  readonly property?: AnyIdentifier
  readonly collections?: readonly string[]
  readonly language?: string
  readonly audiences?: readonly string[]
  readonly visitor_id?: string
  readonly consent?: { readonly gdpr?: boolean; readonly tcf?: string; readonly gpp?: string; readonly us_privacy?: string }
  /** Token of a link that previews a creative. */
  readonly preview?: string
}

/** Checks requests against the schema. Throws INVALID_REQUEST naming the first field that is wrong. */
export function decisionRequestReader(schemas: Schemas): (value: unknown) => DecisionRequest {
  const validate = schemas.validator('own:ad-decision-request.json')
  return (value) => {
    const issues: Found = []
    if (isRequest(value, validate, issues)) return value
    const [issue] = issues
    const field = issue ? fieldOf(issue.pointer) : ''
    throw new AdcpError('INVALID_REQUEST', `${field === '' ? 'the request' : field} ${issue?.message ?? 'is not valid'}`, {
      ...(field !== '' && { field }),
    })
  }
}

type Found = { readonly pointer: string; readonly message: string }[]

/** The schema describes {@link DecisionRequest}. */
function isRequest(value: unknown, validate: Validate, issues: Found): value is DecisionRequest {
  issues.push(...validate(value))
  return issues.length === 0
}

/** The same request as a query: `place` and `sizes` may be repeated, `kv.NAME=VALUE`, the rest by its name. */
export function requestOfQuery(query: URLSearchParams, kind: Slot['kind'] | undefined): unknown {
  const one = (name: string) => query.get(name) ?? undefined
  const list = (name: string) => (query.has(name) ? (query.get(name) ?? '').split(',').filter(Boolean) : undefined)
  const keyValues = new Map<string, string[]>()
  for (const [name, value] of query) {
    if (!name.startsWith('kv.')) continue
    const values = keyValues.get(name.slice(3))
    if (values) values.push(value)
    else keyValues.set(name.slice(3), [value])
  }
  const [sizes, gdpr] = [list('sizes'), one('gdpr')]
  const wanted = kind ?? one('kind')
  return withoutAbsent({
    placements: query.getAll('place').map((place) => withoutAbsent({ place, kind: wanted, sizes })),
    page_url: one('page_url'),
    key_values: keyValues.size > 0 ? Object.fromEntries(keyValues) : undefined,
    keywords: list('keywords'),
    collections: list('collections'),
    audiences: list('audiences'),
    visitor_id: one('visitor_id'),
    language: one('language'),
    preview: one('preview'),
    // `gdpr` and `gdpr_consent` are the names of the IAB's URL parameters.
    consent: withoutAbsent({
      gdpr: gdpr === undefined ? undefined : gdpr !== '0',
      tcf: one('gdpr_consent'),
      gpp: one('gpp'),
      us_privacy: one('us_privacy'),
    }),
  })
}

function withoutAbsent(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}

/** The places of a request that ask for an ad. */
export function slotsOf({ placements }: DecisionRequest): Slot[] {
  return placements.map(({ place, kind = 'display', sizes = [], packages }) => ({
    place,
    kind,
    sizes: sizes.map(sizeOfText),
    ...(packages && { packages }),
  }))
}

export interface VisitorParts {
  readonly deviceOf: (userAgent: string | undefined) => Device
  /** Pseudonym of a publisher's id of a visitor. */
  readonly pseudonymOf: (tenantId: string, visitorId: string) => string
  /** Names of headers in which a proxy says where a visitor is; absent: unknown. */
  readonly countryHeader?: string | undefined
  readonly regionHeader?: string | undefined
  /** Where a request comes from, where a database says it; ISO 3166 codes. */
  readonly placeOf?: ((request: IncomingMessage) => { readonly country?: string; readonly region?: string }) | undefined
}

/**
 * What is known of who asks. An id and the audiences of the visitor are used with consent alone, and never for a program; where the visitor is comes from
 * the headers of a proxy, else from a database of places. The address itself goes nowhere.
 */
export function visitorOf(
  tenantId: string,
  request: DecisionRequest,
  incoming: IncomingMessage,
  { deviceOf, pseudonymOf, countryHeader, regionHeader, placeOf }: VisitorParts,
): Visitor {
  const { headers } = incoming
  const device = deviceOf(headers['user-agent'])
  const { visitor_id: id, audiences = [], consent: { us_privacy: usPrivacy, ...consent } = {} } = request
  // Global Privacy Control (W3C): the browser itself says that its user opts out.
  const optsOut = headers['sec-gpc'] === '1'
  const mayKnow =
    !device.isBot &&
    !optsOut &&
    (id !== undefined || audiences.length > 0) &&
    allowsId(readConsent({ ...consent, ...(usPrivacy !== undefined && { usPrivacy }) }))
  const said = (name: string | undefined) => (name === undefined ? undefined : [headers[name]].flat()[0]?.toUpperCase())
  const { country, region } = said(countryHeader)
    ? { country: said(countryHeader), region: said(regionHeader) }
    : { region: said(regionHeader), ...placeOf?.(incoming) }
  const language = request.language ?? headers['accept-language']
  const primary = language === undefined ? undefined : /^[a-z]{2,3}/.exec(language.toLowerCase())?.[0]
  const property = request.property ?? siteOf(request.page_url ?? headers.origin ?? headers.referer)
  return {
    ...device,
    ...(property && { property }),
    ...(request.collections && { collections: request.collections }),
    ...(country !== undefined && /^[A-Z]{2}$/.test(country) && { country }),
    ...(region !== undefined && /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(region) && { region }),
    ...(primary !== undefined && { language: primary }),
    keyValues: new Map(Object.entries(request.key_values ?? {})),
    keywords: readWords(request.keywords ?? []),
    audiences: mayKnow ? audiences : [],
    ...(mayKnow && id !== undefined && { viewer: pseudonymOf(tenantId, id) }),
  }
}

/** The site of a page by its address. */
function siteOf(url: string | undefined): AnyIdentifier | undefined {
  const host = url !== undefined && URL.canParse(url) ? new URL(url).hostname : ''
  return host === '' ? undefined : { type: 'domain', value: host }
}
