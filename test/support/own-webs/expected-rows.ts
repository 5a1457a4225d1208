import { adsOf, type OwnPage, type OwnProperty, type OwnWeb, wellKnownOf } from './web.ts'

/**
 * What a directory has to show of a generated web, worked out from the AdCP pages "publisher directory" and "managed networks" without any code of the index. It
 * expects one visit of everything at each step, with more than a refresh interval (and less than two) between them.
 */

const HOLD_MS = 7 * 24 * 3_600_000
const METHODS = ['direct', 'authoritative_location', 'adagents_authoritative', 'ads_txt_managerdomain']

type File = Extract<OwnPage, { kind: 'inline' }>
interface Claim {
  readonly file: string
  readonly isOwn: boolean
  readonly agent: string
  readonly publisher: string
  readonly method: string
  readonly manager: string
  readonly authorized: number
  readonly total: number
  readonly isRevoked: boolean
}
interface Route {
  readonly method: string
  readonly manager: string
  readonly url: string
  readonly file: File
}
interface Hold {
  readonly isListed: boolean
  readonly since: number
}

const hostOf = (url: string) => new URL(url).hostname
const siteOf = (url: string) => hostOf(url).split('.').slice(-2).join('.')

export class ExpectedRows {
  /** What files have said about revoked publishers: by file, by publisher. */
  readonly #holds = new Map<string, Map<string, Hold>>()
  #before: readonly Claim[] = []

  /** The rows after a visit of everything but the names that were `removed`, as `agent publisher` → `method manager authorized/total status`. */
  visit(web: OwnWeb, now: number, removed: ReadonlySet<string>): Readonly<Record<string, string>> {
    const visited = [...web.publishers, ...web.crawled].filter((domain) => !removed.has(domain))
    const routes = new Map(visited.flatMap((domain) => [[domain, routeOf(web, domain)] as const]))
    const files = new Map<string, File>()
    for (const domain of visited) {
      const own = fetched(web, wellKnownOf(domain))
      if (own?.kind === 'inline') files.set(wellKnownOf(domain), own)
      const route = routes.get(domain)
      if (route) files.set(route.url, route.file)
    }
    this.#observe(files, now)
    const claims = [
      ...visited.flatMap((domain) => this.#ownClaims(domain, routes.get(domain), now)),
      ...[...files].flatMap(([url, file]) => (speaksForOthers(url, routes) ? this.#fannedOut(url, file, now) : [])),
    ]
    this.#before = claims
    return this.#shown(web, claims, now)
  }

  #observe(files: ReadonlyMap<string, File>, now: number): void {
    for (const url of new Set([...files.keys(), ...this.#holds.keys()])) {
      const revoked = files.get(url)?.revoked ?? []
      const holds = this.#holds.get(url) ?? new Map<string, Hold>()
      for (const [publisher, hold] of holds) if (!revoked.includes(publisher)) holds.set(publisher, { ...hold, isListed: false })
      for (const publisher of revoked) {
        const hold = holds.get(publisher)
        holds.set(publisher, hold?.isListed ? hold : { isListed: true, since: now })
      }
      this.#holds.set(url, holds)
    }
  }

  #isHeld(url: string, publisher: string, now: number): boolean {
    const hold = this.#holds.get(url)?.get(publisher)
    return hold !== undefined && (hold.isListed || now < hold.since + HOLD_MS)
  }

  #isListed(url: string, publisher: string): boolean {
    return this.#holds.get(url)?.get(publisher)?.isListed === true
  }

  #ownClaims(publisher: string, route: Route | undefined, now: number): readonly Claim[] {
    if (!route) return []
    const { url, file, method, manager } = route
    const isImplied = method !== 'ads_txt_managerdomain'
    const form = { file: url, isOwn: true, publisher, method, manager }
    const before = this.#before.filter((claim) => claim.isOwn && claim.publisher === publisher)
    return this.#claimsOf(file, form, poolOf(file, publisher, isImplied), before, now)
  }

  #fannedOut(url: string, file: File, now: number): readonly Claim[] {
    const others = new Set(
      file.properties.flatMap(({ domain }) => (domain === undefined || domain === hostOf(url) ? [] : [domain])),
    )
    for (const { file: from, isOwn, publisher } of this.#before) if (!isOwn && from === url) others.add(publisher)
    return [...others].flatMap((publisher) => {
      const form = { file: url, isOwn: false, publisher, method: 'adagents_authoritative', manager: hostOf(url) }
      const before = this.#before.filter((claim) => !claim.isOwn && claim.file === url && claim.publisher === publisher)
      return this.#claimsOf(file, form, poolOf(file, publisher, false), before, now)
    })
  }

  /** What a file grants for one publisher; where it has just revoked it, one mark for each agent that it authorised. */
  #claimsOf(
    file: File,
    form: Pick<Claim, 'file' | 'isOwn' | 'publisher' | 'method' | 'manager'>,
    pool: readonly OwnProperty[],
    before: readonly Claim[],
    now: number,
  ): readonly Claim[] {
    const total = new Set(pool.map(({ id }) => id)).size
    if (this.#isHeld(form.file, form.publisher, now)) {
      if (!this.#isListed(form.file, form.publisher)) return []
      return before
        .filter(({ isRevoked }) => !isRevoked)
        .map((claim) => ({ ...claim, file: form.file, authorized: 0, total, isRevoked: true }))
    }
    return [...new Set(file.entries.map(({ agent }) => agent))].flatMap((agent) => {
      const ids = new Set(pool.filter((property) => maySell(file, agent, property, form.publisher)).map(({ id }) => id))
      return ids.size === 0 ? [] : [{ ...form, agent, authorized: ids.size, total, isRevoked: false }]
    })
  }

  #shown(web: OwnWeb, claims: readonly Claim[], now: number): Readonly<Record<string, string>> {
    const rows: Record<string, string> = {}
    for (const publisher of [...web.publishers, ...web.crawled]) {
      // Others speak for who has no file alone: a mistake in a file, or a redirect to a stranger, is no consent to what they claim.
      const hasNoFile = !web.pages.has(wellKnownOf(publisher))
      const revokesItself = this.#isHeld(wellKnownOf(publisher), publisher, now)
      const visible = claims.filter(
        (claim) =>
          claim.publisher === publisher && (claim.isOwn || hasNoFile) && (!revokesItself || (claim.isOwn && claim.isRevoked)),
      )
      for (const agent of web.agents) {
        const best = visible.filter((claim) => claim.agent === agent).sort(byTrust)[0]
        if (!best) continue
        const { method, manager, authorized, total, isRevoked } = best
        rows[`${agent} ${publisher}`] =
          `${method} ${manager || '-'} ${authorized}/${total} ${isRevoked ? 'revoked' : 'authorized'}`
      }
    }
    return rows
  }
}

/** Files at addresses of visited domains speak for others, and those that somebody's file points at. */
function speaksForOthers(url: string, routes: ReadonlyMap<string, Route | undefined>): boolean {
  if ([...routes.keys()].some((domain) => wellKnownOf(domain) === url)) return true
  return [...routes.values()].some((route) => route?.url === url && route.method === 'authoritative_location')
}

function byTrust(a: Claim, b: Claim): number {
  return (
    Number(a.isRevoked) - Number(b.isRevoked) ||
    METHODS.indexOf(a.method) - METHODS.indexOf(b.method) ||
    (a.manager < b.manager ? -1 : 1)
  )
}

/** What a publisher's own address gives: redirects are followed within its site. */
function fetched(web: OwnWeb, url: string): File | Extract<OwnPage, { kind: 'pointer' }> | undefined {
  const page = web.pages.get(url)
  if (page?.kind === 'redirect') return siteOf(page.to) === siteOf(url) ? fetched(web, page.to) : undefined
  return page?.kind === 'inline' || page?.kind === 'pointer' ? page : undefined
}

/** The file that speaks for a publisher by its own word, in the order of the directory page. */
function routeOf(web: OwnWeb, publisher: string): Route | undefined {
  const url = wellKnownOf(publisher)
  const own = fetched(web, url)
  if (own?.kind === 'inline') return { method: 'direct', manager: '', url, file: own }
  if (own?.kind === 'pointer') {
    const file = web.pages.get(own.to)
    return file?.kind === 'inline' ? { method: 'authoritative_location', manager: hostOf(own.to), url: own.to, file } : undefined
  }
  // An address that redirects to a stranger is a failure, not an absence.
  if (web.pages.has(url)) return undefined
  const ads = adsPage(web, adsOf(publisher))
  if (ads === undefined || ads === publisher) return undefined
  const first = fetched(web, wellKnownOf(ads))
  const end = first?.kind === 'pointer' ? first.to : wellKnownOf(ads)
  const file = first?.kind === 'pointer' ? web.pages.get(first.to) : first
  return file?.kind === 'inline' ? { method: 'ads_txt_managerdomain', manager: ads, url: end, file } : undefined
}

function adsPage(web: OwnWeb, url: string): string | undefined {
  const page = web.pages.get(url)
  if (page?.kind === 'redirect') return adsPage(web, page.to)
  return page?.kind === 'ads' ? page.manager : undefined
}

function poolOf(file: File, publisher: string, isImplied: boolean): readonly OwnProperty[] {
  return file.properties.filter(({ domain }) => domain === publisher || (isImplied && domain === undefined))
}

function maySell(file: File, agent: string, { id, tags }: OwnProperty, publisher: string): boolean {
  return file.entries
    .filter((entry) => entry.agent === agent)
    .some((entry) => {
      if (file.isShort) return true
      if (entry.ids) return entry.ids.includes(id)
      if (entry.tags) return entry.tags.some((tag) => tags.includes(tag))
      return entry.domains?.includes(publisher) === true && (entry.tag === undefined || tags.includes(entry.tag))
    })
}
