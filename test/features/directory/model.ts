import { directoryId } from '../../../src/store/directory/directory-agents.ts'

/** A naive model of the directory's rules: everything in memory, every claim computed from scratch. */

export const HOUR = 3_600_000
const DAY = 24 * HOUR

export interface ModelProperty {
  readonly id: string
  readonly domain?: string
}
export interface ModelEntry {
  readonly agent: string
  readonly ids?: readonly string[]
  readonly domains?: readonly string[]
}
export type Site =
  | { readonly kind: 'absent' }
  | { readonly kind: 'down' }
  | { readonly kind: 'pointer'; readonly to: string }
  | {
      readonly kind: 'inline'
      readonly properties: readonly ModelProperty[]
      readonly entries: readonly ModelEntry[]
      readonly revoked: readonly string[]
    }

interface Claim {
  agent: string
  publisher: string
  method: string
  manager: string
  ids: string[]
  total: number
  status: 'authorized' | 'revoked'
  observedAt: number
}
interface Doc {
  held: Site | undefined
  verifiedAt: number
  failingSince: number | undefined
  fansOut: boolean
  holds: Map<string, { listed: boolean; first: number }>
  own: Claim[]
  fan: Claim[]
}
interface Publisher {
  serves: 'unknown' | 'absent' | 'inline' | 'pointer'
  blockedUntil: number
  adopted: string | undefined
  pending: string | undefined
  pendingSince: number
  route: { method: string; manager: string; url: string } | undefined
}

export const wellKnownOf = (domain: string): string => `https://${domain}/.well-known/adagents.json`
const hostOf = (url: string) => new URL(url).hostname

export class Model {
  now = 0
  readonly sites = new Map<string, Site>()
  readonly ads = new Map<string, string>()
  readonly docs = new Map<string, Doc>()
  readonly publishers = new Map<string, Publisher>()
  /** Agents that a file has named which counts. */
  readonly known = new Set<string>()

  #doc(url: string): Doc {
    const doc = this.docs.get(url) ?? {
      held: undefined,
      verifiedAt: 0,
      failingSince: undefined,
      fansOut: false,
      holds: new Map(),
      own: [],
      fan: [],
    }
    this.docs.set(url, doc)
    return doc
  }

  /** `agent domain` → what the directory shows. */
  rows(): Record<string, string> {
    const groups = new Map<string, (Claim & { own: boolean; file: string })[]>()
    for (const [url, doc] of this.docs) {
      for (const [claims, own] of [
        [doc.own, true],
        [doc.fan, false],
      ] as const) {
        for (const claim of claims) {
          const key = `${claim.agent} ${claim.publisher}`
          groups.set(key, [...(groups.get(key) ?? []), { ...claim, own, file: directoryId(url) }])
        }
      }
    }
    const rows: Record<string, string> = {}
    for (const [key, claims] of groups) {
      const publisher = this.publishers.get(claims[0]!.publisher)
      const hasNoFile = publisher?.serves === 'absent'
      const blocked = (publisher?.blockedUntil ?? 0) > this.now
      const visible = claims.filter((claim) => (blocked ? claim.own && claim.status === 'revoked' : claim.own || hasNoFile))
      const order = ['direct', 'authoritative_location', 'adagents_authoritative', 'ads_txt_managerdomain']
      const rank = (claim: Claim & { file: string }) =>
        `${claim.status} ${order.indexOf(claim.method)} ${claim.manager} ${claim.file}`
      const best = visible.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0]
      if (best) rows[key] = `${best.method} ${best.manager || '-'} ${best.ids.length}/${best.total} ${best.status}`
    }
    return rows
  }

  pass(ms: number): void {
    this.now += ms
    for (const [url, doc] of this.docs) {
      if (!doc.held || this.#expiry(doc) > this.now) continue
      const owner = url === wellKnownOf(hostOf(url)) ? this.publishers.get(hostOf(url)) : undefined
      if (owner) this.#unroute(hostOf(url), owner, doc)
      this.#forget(doc)
    }
  }

  refresh(domain: string): void {
    const publisher = this.publishers.get(domain) ?? {
      serves: 'unknown',
      blockedUntil: 0,
      adopted: undefined,
      pending: undefined,
      pendingSince: 0,
      route: undefined,
    }
    this.publishers.set(domain, publisher)
    const url = wellKnownOf(domain)
    const doc = this.#doc(url)
    const site = this.sites.get(url) ?? { kind: 'absent' }
    const before = publisher.serves
    const routeBefore = publisher.route?.url
    if (site.kind === 'down' && doc.failingSince === undefined) doc.failingSince = this.now
    const over = site.kind === 'down' && this.#expiry(doc) <= this.now
    if (site.kind === 'inline')
      Object.assign(publisher, {
        serves: 'inline',
        route: { method: 'direct', manager: '', url },
        adopted: undefined,
        pending: undefined,
      })
    else if (site.kind === 'pointer') this.#point(domain, publisher, site.to)
    else if (site.kind === 'absent')
      Object.assign(publisher, { serves: 'absent', adopted: undefined, pending: undefined, route: this.#viaAds(domain) })
    else if (over || before === 'unknown')
      Object.assign(publisher, { serves: 'unknown', adopted: undefined, pending: undefined, route: undefined })
    else if (before === 'pointer') this.#point(domain, publisher, undefined)
    else if (before === 'absent' && publisher.route) publisher.route = this.#viaAds(domain)
    const revoked = site.kind === 'inline' ? site.revoked : []
    if (site.kind !== 'down' || over || before === 'unknown')
      publisher.blockedUntil = this.#blockedUntil(doc, revoked.includes(domain), domain)
    if (site.kind === 'down') {
      if (doc.held && over) this.#forget(doc)
    } else if (site.kind === 'absent') this.#forget(doc)
    else this.#hold(url, doc, site, domain)
    doc.fansOut = true
    if (publisher.route?.method !== 'direct') this.#deriveOwn(domain, publisher)
    if (routeBefore !== publisher.route?.url) this.#dropOrphan(routeBefore)
  }

  /** A pointer's target that no publisher points at any longer. */
  #dropOrphan(url: string | undefined): void {
    const doc = url === undefined ? undefined : this.docs.get(url)
    if (!url || !doc?.held || !doc.fansOut || [...this.publishers.values()].some(({ route }) => route?.url === url)) return
    if (url === wellKnownOf(hostOf(url)) && this.publishers.has(hostOf(url))) return
    this.#forget(doc)
  }

  #point(domain: string, publisher: Publisher, seen: string | undefined): void {
    publisher.serves = 'pointer'
    if (seen !== undefined) {
      const settled = publisher.pending === seen && this.now - publisher.pendingSince >= DAY && this.#isFamiliar(seen, domain)
      if (publisher.adopted === undefined || publisher.adopted === seen || settled)
        Object.assign(publisher, { adopted: seen, pending: undefined })
      else if (publisher.pending !== seen) Object.assign(publisher, { pending: seen, pendingSince: this.now })
    }
    const url = publisher.adopted!
    this.#shared(url, true)
    publisher.route = { method: 'authoritative_location', manager: hostOf(url), url }
  }

  /** A file that gives the publisher to no agent that nobody has named before. */
  #isFamiliar(url: string, domain: string): boolean {
    const site = this.sites.get(url)
    if (site?.kind !== 'inline') return false
    return this.#granted(site, domain, 'authoritative_location', '').every(({ agent }) => this.known.has(agent))
  }

  #viaAds(domain: string): Publisher['route'] {
    const manager = this.ads.get(domain)
    if (manager === undefined || manager === domain) return undefined
    let url = wellKnownOf(manager)
    this.#shared(url, false)
    const held = this.docs.get(url)?.held
    if (held?.kind === 'pointer') {
      url = held.to
      this.#shared(url, false)
    }
    return this.docs.get(url)?.held?.kind === 'inline' ? { method: 'ads_txt_managerdomain', manager, url } : undefined
  }

  /** Asks for a file that others lead to. */
  #shared(url: string, fansOut: boolean): void {
    const doc = this.#doc(url)
    doc.fansOut ||= fansOut
    const site = this.sites.get(url) ?? { kind: 'absent' }
    if (site.kind === 'absent') this.#forget(doc)
    else if (site.kind === 'down') {
      doc.failingSince ??= this.now
      if (doc.held && this.#expiry(doc) <= this.now) this.#forget(doc)
    } else this.#hold(url, doc, site, undefined)
  }

  #expiry(doc: Doc): number {
    return Math.min(
      doc.held ? doc.verifiedAt + 7 * DAY : Number.POSITIVE_INFINITY,
      (doc.failingSince ?? Number.POSITIVE_INFINITY) + DAY,
    )
  }

  #forget(doc: Doc): void {
    Object.assign(doc, { held: undefined, failingSince: undefined, own: [], fan: [] })
    for (const hold of doc.holds.values()) hold.listed = false
  }

  #blockedUntil(doc: Doc, listed: boolean, domain: string): number {
    if (listed) return Number.POSITIVE_INFINITY
    const hold = doc.holds.get(domain)
    return hold ? hold.first + 7 * DAY : 0
  }

  #unroute(domain: string, publisher: Publisher, doc: Doc): void {
    const routeBefore = publisher.route?.url
    Object.assign(publisher, { serves: 'unknown', route: undefined, blockedUntil: this.#blockedUntil(doc, false, domain) })
    for (const each of this.docs.values()) each.own = each.own.filter((claim) => claim.publisher !== domain)
    this.#dropOrphan(routeBefore)
  }

  #hold(url: string, doc: Doc, site: Site, owner: string | undefined): void {
    const shownForOwner = owner === undefined ? [] : this.#authorizedElsewhere(owner, doc)
    Object.assign(doc, { held: site, verifiedAt: this.now, failingSince: undefined })
    const revoked = site.kind === 'inline' ? site.revoked : []
    for (const [domain, hold] of doc.holds) if (!revoked.includes(domain)) hold.listed = false
    for (const domain of revoked) {
      const hold = doc.holds.get(domain)
      if (!hold?.listed) doc.holds.set(domain, { listed: true, first: this.now })
    }
    for (const [domain, hold] of doc.holds) if (!hold.listed && this.now >= hold.first + 7 * DAY) doc.holds.delete(domain)
    if (owner !== undefined) doc.fansOut = true
    const own: Claim[] = []
    for (const [domain, publisher] of this.publishers) {
      if (publisher.route?.url === url) own.push(...this.#granted(site, domain, publisher.route.method, publisher.route.manager))
    }
    const fan: Claim[] = []
    if (doc.fansOut && site.kind === 'inline') {
      for (const domain of new Set(site.properties.flatMap((property) => property.domain ?? []))) {
        if (domain !== hostOf(url)) fan.push(...this.#granted(site, domain, 'adagents_authoritative', hostOf(url)))
      }
    }
    const dependants = [...this.publishers.values()].filter(({ route }) => route?.url === url)
    const speaks = doc.fansOut || dependants.some(({ route }) => route?.method !== 'ads_txt_managerdomain')
    if (site.kind === 'inline') for (const { agent } of speaks ? site.entries : own) this.known.add(agent)
    const listedOwner = owner !== undefined && doc.holds.get(owner)?.listed
    doc.own = site.kind === 'inline' ? this.#next(doc, [...doc.own, ...(listedOwner ? shownForOwner : [])], own, true) : []
    doc.fan = site.kind === 'inline' ? this.#next(doc, doc.fan, fan, false) : []
  }

  #authorizedElsewhere(domain: string, except: Doc): Claim[] {
    const rows = this.lastRows
    const claims: Claim[] = []
    for (const doc of this.docs.values()) {
      if (doc === except) continue
      for (const claim of [...doc.own, ...doc.fan]) {
        const shown = rows[`${claim.agent} ${claim.publisher}`]
        const text = `${claim.method} ${claim.manager || '-'} ${claim.ids.length}/${claim.total} authorized`
        if (claim.publisher === domain && claim.status === 'authorized' && shown === text) claims.push(claim)
      }
    }
    return claims
  }

  /** Rows as they were shown before the refresh that runs. */
  lastRows: Record<string, string> = {}

  #deriveOwn(domain: string, publisher: Publisher): void {
    const route = publisher.route
    const end = route && this.docs.get(route.url)
    const previous = [...this.docs].flatMap(([url, doc]) =>
      doc.own.filter((claim) => claim.publisher === domain && (claim.status === 'authorized' || url === route?.url)),
    )
    for (const doc of this.docs.values()) doc.own = doc.own.filter((claim) => claim.publisher !== domain)
    if (!route || end?.held?.kind !== 'inline') return
    const granted = this.#granted(end.held, domain, route.method, route.manager)
    for (const { agent } of granted) this.known.add(agent)
    end.own.push(...this.#next(end, previous, granted, true))
  }

  #total(doc: Doc, { publisher, method }: Claim, own: boolean): number {
    if (doc.held?.kind !== 'inline') return 0
    const implied = own && method !== 'ads_txt_managerdomain'
    const listed = doc.held.properties.filter(({ domain }) => domain === publisher || (domain === undefined && implied))
    return new Set(listed.map(({ id }) => id)).size
  }

  #next(doc: Doc, previous: Claim[], granted: Claim[], own: boolean): Claim[] {
    const blocked = (domain: string) =>
      doc.holds.has(domain) && (doc.holds.get(domain)!.listed || this.now < doc.holds.get(domain)!.first + 7 * DAY)
    const next = granted.filter((claim) => !blocked(claim.publisher))
    for (const claim of previous) {
      if (next.some((each) => each.agent === claim.agent && each.publisher === claim.publisher)) continue
      const observedAt = claim.status === 'revoked' ? claim.observedAt : this.now
      if ((claim.status === 'revoked' || doc.holds.get(claim.publisher)?.listed) && doc.verifiedAt < observedAt + DAY) {
        next.push({ ...claim, ids: [], total: this.#total(doc, claim, own), status: 'revoked', observedAt })
      }
    }
    return next
  }

  #granted(site: Site, domain: string, method: string, manager: string): Claim[] {
    if (site.kind !== 'inline' || site.revoked.includes(domain)) return []
    const implied = method === 'direct' || method === 'authoritative_location'
    const pool = site.properties.filter((property) => property.domain === domain || (property.domain === undefined && implied))
    const total = new Set(pool.map((property) => property.id)).size
    const claims: Claim[] = []
    for (const agent of new Set(site.entries.map((entry) => entry.agent))) {
      const ids = new Set<string>()
      for (const entry of site.entries.filter((each) => each.agent === agent)) {
        for (const property of pool) {
          if (entry.ids ? entry.ids.includes(property.id) : entry.domains?.includes(domain)) ids.add(property.id)
        }
      }
      if (ids.size > 0)
        claims.push({ agent, publisher: domain, method, manager, ids: [...ids], total, status: 'authorized', observedAt: 0 })
    }
    return claims
  }
}
