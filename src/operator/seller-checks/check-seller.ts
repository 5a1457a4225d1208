import { ACCESS_CHECKS, type Sign } from '../../features/seller-checks/access.ts'
import { type Check, type CheckResult, play, shownText } from '../../features/seller-checks/check.ts'
import { loadCheck, type Pace } from '../../features/seller-checks/load.ts'
import { type Counter, counterOf, ORDER_CHECKS, openAccount } from '../../features/seller-checks/orders.ts'
import { FILTER_CHECKS, LIST_CHECKS, rowsIn, type Shelf } from '../../features/seller-checks/products.ts'
import { type Caller, SELLER_POLICY, sellerCaller } from '../../features/seller-checks/seller-caller.ts'
import { listTools } from '../../platform/net/call-tool.ts'
import { plainFetch } from '../../platform/net/plain-fetch.ts'
import { isObject } from '../../protocol/is-object.ts'

export type { CheckResult }

export interface SellerToCheck {
  /** The seller's MCP address. */
  readonly url: string
  /** A buyer's key at it; undefined calls as nobody. */
  readonly key: string | undefined
}

export interface CheckOptions {
  /** A question that the seller should have products for. */
  readonly brief: string
  /** False leaves the small load out. */
  readonly load: boolean
  /** Plays the official storyboards; gives undefined where their runner is not installed. Absent: they are left out. */
  readonly playStories?: ((seller: SellerToCheck) => Promise<StoriesPlayed | undefined>) | undefined
  readonly clock: () => Date
  /** Told of each check as it ends. */
  readonly report: (result: CheckResult) => void
}

/** What was played of the official storyboards. */
export interface StoriesPlayed {
  /** Where the stories come from, e.g. `@adcp/sdk 6.11.0`, or the folder that was named. */
  readonly source: string
  readonly steps: { readonly passed: number; readonly failed: number; readonly skipped: number }
  /** One for each track. */
  readonly checks: readonly CheckResult[]
}

const NO_RUNNER = 'the official storyboards need "npm install @adcp/sdk@6.11.0" beside this program'

/** What was seen of one seller. */
export interface SellerReport {
  readonly url: string
  readonly server_name: string | undefined
  /** Releases of the protocol that it declares. */
  readonly releases: readonly string[]
  readonly counts: { readonly held: number; readonly broken: number; readonly not_verified: number }
  readonly checks: readonly CheckResult[]
  readonly pace: Pace | undefined
  readonly stories: Pick<StoriesPlayed, 'source' | 'steps'> | undefined
}

/** Plays every check against a seller. Orders are made on a sandbox account alone, and cancelled. Never throws for what the seller does. */
export async function checkSeller(seller: SellerToCheck, options: CheckOptions): Promise<SellerReport> {
  const call = sellerCaller(seller.url, seller.key)
  const checks: CheckResult[] = []
  const note = (result: CheckResult) => {
    checks.push(result)
    options.report(result)
  }
  const run = async <Parts>(list: readonly Check<Parts>[], parts: Parts) => {
    for (const check of list) note(await play(check, call, parts))
  }
  const { sign, serverName } = await readSign(seller, call)
  const shelf = await readShelf(call, options.brief)
  await run(ACCESS_CHECKS, sign)
  await run([...LIST_CHECKS, ...FILTER_CHECKS], shelf)
  await playOrders(call, { sign, shelf, note, clock: options.clock })
  let pace: Pace | undefined
  const paced = (seen: Pace) => {
    pace = seen
  }
  if (options.load) await run([loadCheck(options.brief, paced)], undefined)
  const stories = await options.playStories?.(seller)
  if (options.playStories && !stories) note(notVerified('stories', 'official storyboards', NO_RUNNER))
  for (const { because, ...check } of stories?.checks ?? [])
    note({ ...check, ...(because !== undefined && { because: shownText(because, LONGEST_TRACK) }) })
  const countOf = (outcome: CheckResult['outcome']) => checks.filter((each) => each.outcome === outcome).length
  return {
    url: seller.url,
    server_name: serverName === undefined ? undefined : shownText(serverName),
    releases: releasesIn(sign.capabilities),
    counts: { held: countOf('held'), broken: countOf('broken'), not_verified: countOf('not verified') },
    checks,
    pace,
    stories: stories && { source: stories.source, steps: stories.steps },
  }
}

async function readSign({ url, key }: SellerToCheck, call: Caller) {
  const authorization = key === undefined ? undefined : `Bearer ${key}`
  const listed = await listTools(plainFetch, { url, policy: SELLER_POLICY, authorization }).catch(() => undefined)
  const capabilities = await call('get_adcp_capabilities', {}).then(
    ({ payload }) => payload,
    () => ({}),
  )
  const sign: Sign = { capabilities, tools: listed?.tools ?? [] }
  return { sign, serverName: listed?.serverName }
}

async function readShelf(call: Caller, brief: string): Promise<Shelf> {
  const request = { buying_mode: 'brief', brief, pagination: { max_results: 50 } }
  const products = await call('get_products', request).then(
    ({ payload }) => rowsIn(payload, 'products'),
    () => [],
  )
  return { products, brief }
}

interface OrderParts {
  readonly sign: Sign
  readonly shelf: Shelf
  readonly note: (result: CheckResult) => void
  readonly clock: () => Date
}

/** An order elsewhere than on a sandbox account would spend money, so none is made. */
async function playOrders(call: Caller, { sign, shelf, note, clock }: OrderParts): Promise<void> {
  const counter = counterOf(shelf.products, clock)
  const reason = await whyNoOrders(call, sign, counter)
  for (const check of ORDER_CHECKS)
    note(
      reason === undefined && counter
        ? await play(check, call, counter)
        : { ...notVerified(check.id, check.title, reason ?? ''), group: check.group },
    )
}

async function whyNoOrders(call: Caller, { capabilities }: Sign, counter: Counter | undefined): Promise<string | undefined> {
  const account = isObject(capabilities.account) ? capabilities.account : {}
  if (account.sandbox !== true) return 'the seller declares no sandbox accounts (account.sandbox): an order would spend money'
  if (!counter) return 'no product has a price per thousand impressions'
  return openAccount(call).catch((error: unknown) => `sync_accounts: ${error instanceof Error ? error.message : String(error)}`)
}

function notVerified(id: string, title: string, because: string): CheckResult {
  return { id, group: 'stories', title, outcome: 'not verified', because: shownText(because), steps: [] }
}

/** Failed steps of a track, in characters. */
const LONGEST_TRACK = 5_000

/** Releases that a report names. */
const MOST_RELEASES = 20

function releasesIn(capabilities: Sign['capabilities']): readonly string[] {
  const adcp = isObject(capabilities.adcp) ? capabilities.adcp : {}
  const listed = [adcp.supported_versions, adcp.major_versions].find(Array.isArray) ?? []
  return listed.slice(0, MOST_RELEASES).map((each) => shownText(String(each)))
}
