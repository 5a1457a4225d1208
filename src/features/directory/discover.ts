import type { AdagentsFile, InlineFile } from '../../domain/directory/adagents-file.ts'
import type { OwnRoute } from '../../domain/directory/claim.ts'
import { type FileIndex, indexInSteps } from '../../domain/directory/resolve.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AUTHORITATIVE_POLICY, WELL_KNOWN_POLICY } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { type FileOutcome, fetchAdagents, fetchManagerDomain, isAnswer, isUnusable, wellKnownUrl } from './fetch-adagents.ts'

/** Where a publisher's discovery ends, without any memory of earlier visits. */
export type Discovery =
  | { readonly route: OwnRoute; readonly index: FileIndex; readonly url: string }
  | {
      readonly route: undefined
      readonly reason: string
      readonly servesFile: boolean
      /** False: a file that would decide could not be read, so that nothing is known. */
      readonly answered: boolean
    }

/** Fetches each file once, however many publishers lead to it. */
export class Discoverer {
  readonly #fetch: SafeFetch
  readonly #files = new Map<string, Promise<FileOutcome<AdagentsFile>>>()
  readonly #targets = new Set<string>()
  readonly #indexes = new WeakMap<InlineFile, Promise<FileIndex>>()

  constructor(fetch: SafeFetch) {
    this.#fetch = fetch
  }

  /** Follows a publisher's own file, one pointer hop, or its ads.txt manager. Never rejects. */
  async discover(domain: string): Promise<Discovery> {
    const url = wellKnownUrl(domain)
    const own = await this.#file(url, 'well_known')
    if (own.kind === 'absent' && own.fallback) return this.#viaAdsTxt(domain, own.reason)
    if (own.kind !== 'fetched') return stop(reasonOf(own), isUnusable(own), isAnswer(own))
    if (own.content.kind === 'inline') return this.#end({ publisher: domain, method: 'direct', manager: null }, own.content, url)
    const target = own.content.location
    if (target === url) return stop('authoritative_location points back at the file itself', true)
    this.#targets.add(target)
    const file = await this.#file(target, 'authoritative_location')
    if (file.kind !== 'fetched') return stop(`authoritative_location: ${reasonOf(file)}`, true, isAnswer(file))
    if (file.content.kind !== 'inline') return stop('the authoritative_location is itself a pointer', true)
    return this.#end(
      { publisher: domain, method: 'authoritative_location', manager: new URL(target).hostname },
      file.content,
      target,
    )
  }

  /** The file of a manager domain (its own, or the one it points at); undefined when there is none. */
  async managerFile(manager: string): Promise<{ index: FileIndex; url: string } | undefined> {
    const { url, file } = await this.#fileOfManager(manager)
    return this.#inline(file, url)
  }

  /** The inline file at an address; undefined when there is none. */
  async inlineFile(url: string): Promise<{ index: FileIndex; url: string } | undefined> {
    const kind = url === wellKnownUrl(new URL(url).hostname) ? 'well_known' : 'authoritative_location'
    return this.#inline(await this.#file(url, kind), url)
  }

  /** Addresses that publishers discovered so far point at. */
  pointedAt(): ReadonlySet<string> {
    return this.#targets
  }

  async #viaAdsTxt(domain: string, reason: string): Promise<Discovery> {
    const adsTxt = await fetchManagerDomain(this.#fetch, domain)
    if (adsTxt.kind !== 'fetched') return stop(`${reason}; ads.txt: ${reasonOf(adsTxt)}`, false, isAnswer(adsTxt))
    const manager = adsTxt.content
    if (manager === undefined) return stop(`${reason}; ads.txt names no manager`, false)
    if (manager === domain) return stop(`${reason}; ads.txt names the publisher itself as its manager`, false)
    const { url, file } = await this.#fileOfManager(manager)
    const end = await this.#inline(file, url)
    if (!end) return stop(`${reason}; its manager ${manager}: ${reasonOf(file)}`, false, isAnswer(file))
    return { route: { publisher: domain, method: 'ads_txt_managerdomain', manager }, ...end }
  }

  async #fileOfManager(manager: string): Promise<{ readonly url: string; readonly file: FileOutcome<AdagentsFile> }> {
    const url = wellKnownUrl(manager)
    const file = await this.#file(url, 'well_known')
    if (file.kind !== 'fetched' || file.content.kind === 'inline') return { url, file }
    const { location } = file.content
    return { url: location, file: await this.#file(location, 'authoritative_location') }
  }

  async #inline(file: FileOutcome<AdagentsFile>, url: string): Promise<{ index: FileIndex; url: string } | undefined> {
    return file.kind === 'fetched' && file.content.kind === 'inline' ? { index: await this.#index(file.content), url } : undefined
  }

  #file(url: string, kind: 'well_known' | 'authoritative_location'): Promise<FileOutcome<AdagentsFile>> {
    const key = `${kind} ${url}`
    const known = this.#files.get(key)
    if (known) return known
    const file = fetchAdagents(this.#fetch, url, kind === 'well_known' ? WELL_KNOWN_POLICY : AUTHORITATIVE_POLICY)
    this.#files.set(key, file)
    return file
  }

  async #end(route: OwnRoute, file: InlineFile, url: string): Promise<Discovery> {
    return { route, index: await this.#index(file), url }
  }

  #index(file: InlineFile): Promise<FileIndex> {
    const index = this.#indexes.get(file) ?? inTurns(indexInSteps(file))
    this.#indexes.set(file, index)
    return index
  }
}

function stop(reason: string, servesFile: boolean, answered = true): Discovery {
  return { route: undefined, reason, servesFile, answered }
}

function reasonOf(outcome: FileOutcome<unknown>): string {
  return outcome.kind === 'fetched' || outcome.kind === 'unchanged' ? 'the file gives nothing' : outcome.reason
}
