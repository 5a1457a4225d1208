import { largeJsonIn } from '../../platform/decode/foreign-json.ts'
import { isObject } from '../../protocol/is-object.ts'
import { type CallParts, type Repeatability, repeated, send } from './calls.ts'
import { GamNotFound, GamOutage, gamError } from './gam-error.ts'

/** A message of the API as JSON: members in camelCase, 64-bit numbers as text, enums by name. */
export type Message = Readonly<Record<string, unknown>>

/** What a list is asked for (https://developers.google.com/ad-manager/api/beta/filters). */
export interface ListQuery {
  readonly filter?: string
  readonly orderBy?: string
}

export interface GamPage {
  readonly items: readonly Message[]
  readonly next: string | undefined
}

/** The REST API v1 of one network. Throws {@link GamOutage} when there is no usable answer, AdcpError when the API refuses. */
export interface GamClient {
  /** `networks/123`. */
  readonly network: string
  get(name: string, query?: Readonly<Record<string, string>>): Promise<Message>
  /** A resource by its name; undefined: there is none. */
  find(name: string): Promise<Message | undefined>
  /** A call that changes something. */
  post(path: string, body: Message, kind: Repeatability): Promise<Message>
  /** Everything of a collection, e.g. `networks/123/orders`; `member` is the list in the answer. Throws when there are more than 200 pages. */
  list(collection: string, member: string, query?: ListQuery): Promise<readonly Message[]>
  page(collection: string, member: string, query: ListQuery & { readonly after?: string | undefined }): Promise<GamPage>
}

export interface GamClientParts extends CallParts {
  readonly networkCode: string
  /** Origin of the API. */
  readonly endpoint: string
}

export const GAM_ENDPOINT = 'https://admanager.googleapis.com'
export const GAM_SCOPE = 'https://www.googleapis.com/auth/admanager'

/** The most that the API gives at once. */
const PAGE_SIZE = 1_000
const MOST_PAGES = 200

export function createGamClient(parts: GamClientParts): GamClient {
  const { networkCode, endpoint } = parts
  const urlOf = (path: string, query: Readonly<Record<string, string>> = {}) => {
    const search = new URLSearchParams(query).toString()
    return `${endpoint}/v1/${path}${search === '' ? '' : `?${search}`}`
  }
  const get = (name: string, query?: Readonly<Record<string, string>>) =>
    attempt(parts, urlOf(name, query), undefined, 'repeatable')
  const page: GamClient['page'] = async (collection, member, { filter, orderBy, after }) => {
    const answer = await get(collection, {
      pageSize: String(PAGE_SIZE),
      ...(filter !== undefined && { filter }),
      ...(orderBy !== undefined && { orderBy }),
      ...(after !== undefined && { pageToken: after }),
    })
    const items = answer[member] ?? []
    if (!Array.isArray(items)) throw new GamOutage(`Google Ad Manager answers without a list of ${member}`, 'none')
    const { nextPageToken: next } = answer
    return { items: items.filter(isObject), next: typeof next === 'string' && next !== '' ? next : undefined }
  }
  return {
    network: `networks/${networkCode}`,
    get,
    async find(name) {
      try {
        return await get(name)
      } catch (error) {
        if (error instanceof GamNotFound) return undefined
        throw error
      }
    },
    post: (path, body, kind) => attempt(parts, urlOf(path), body, kind),
    page,
    async list(collection, member, query = {}) {
      const all: Message[] = []
      let after: string | undefined
      for (let count = 0; count < MOST_PAGES; count += 1) {
        const { items, next } = await page(collection, member, { ...query, after })
        all.push(...items)
        if (next === undefined) return all
        after = next
      }
      throw new GamOutage(`${collection} has more than ${MOST_PAGES} pages`, 'none')
    },
  }
}

async function attempt(parts: GamClientParts, url: string, body: Message | undefined, kind: Repeatability): Promise<Message> {
  const content = body && { type: 'application/json', text: JSON.stringify(body) }
  const request = { url, accept: 'application/json', ...(content && { content }), errorOf: gamError }
  return repeated(parts, kind, async () => messageIn((await send(parts, request)).toString('utf8')))
}

async function messageIn(text: string): Promise<Message> {
  const value = await largeJsonIn(text)
  if (!isObject(value)) throw new GamOutage('Google Ad Manager answers with something that is no JSON object', 'unknown')
  return value
}
