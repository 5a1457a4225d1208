import { REMOVALS, type Removal } from '../../domain/directory/crawled-publisher.ts'
import { addDomains, requireDomain, takeOff, unblock } from '../../features/directory/crawl-list.ts'
import type { Db } from '../../store/database.ts'
import { findExclusion } from '../../store/directory/directory-exclusions.ts'
import { findPublisher, withoutListed } from '../../store/directory/directory-publishers.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { type ActContext, defineAct } from '../act.ts'
import { auditedStore } from '../audited-store.ts'
import { oneOf, required, texts } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { reasonField } from '../reasons.ts'
import { ADMINISTRATORS, SELLERS } from '../roles.ts'
import { integer, object, string, word } from '../shape.ts'
import { DOMAIN } from './publisher-shapes.ts'

// Several acts in one file: the same decision or change in its directions, such as approve and reject.

const REASON = reasonField('why, for the list of exclusions')
const takenOff = object({ domain: string, kind: word(...REMOVALS), reason: string })

export const addToCrawlList = defineAct({
  name: 'directory.add',
  route: 'POST /deployment/directory/publishers',
  id: 'addToCrawlList',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Puts publishers on the crawl list, due at once.',
  fields: { domains: required(texts('their domains')) },
  answer: object({ added: integer, known: integer }),
  command: {
    args: ['domains'],
    createsStore: true,
    text: ({ added, known }) => [`${added} added, ${known} known already; "directory crawl" fetches them`],
  },
  watch: (tx, _context, { domains }) => statesOf(tx, canonicalDomains(domains)),
  run(context, { domains }) {
    const chosen = canonicalDomains(domains)
    context.noteSubject(subjectOf(chosen))
    return putOnList(context, chosen)
  },
})

/** The crawl list is that of the deployment: people of a publisher put its own domain on it. It is in the log of the publisher. */
export const joinDirectory = defineAct({
  name: 'directory.join',
  route: 'POST /directory/crawl',
  id: 'joinCrawlList',
  roles: SELLERS,
  summary: 'Puts the publisher’s own domain on the crawl list, due at once.',
  fields: {},
  answer: object({ added: integer, known: integer }),
  command: {
    help: 'put the domain of a publisher on the crawl list, due at once',
    text: ({ added }) => [added === 1 ? 'it is on the crawl list; "directory crawl" fetches it' : 'it was on the crawl list'],
  },
  async watch(tx, { tenantId }) {
    const { domain = '' } = (await findTenant(tx, tenantId)) ?? {}
    return statesOf(tx, canonicalDomains([domain]))
  },
  async run(context) {
    const { domain = '' } = (await findTenant(context.store.read, context.tenantId)) ?? {}
    context.noteSubject(domain)
    return putOnList(context, canonicalDomains([domain]))
  },
})

/**
 * Puts domains on the crawl list, due at once, with one audit entry; for callers that are no acts (a crawl, an imported file). Returns how many are new and how
 * many were on it. Throws INVALID_REQUEST naming the first that is no domain, or that is blocked.
 */
export async function joinCrawlList(
  context: OperatorContext,
  domains: readonly string[],
): Promise<{ readonly added: number; readonly known: number }> {
  const chosen = canonicalDomains(domains)
  const act = { task: addToCrawlList.name, subject: subjectOf(chosen) }
  const store = auditedStore(context, act, async (tx) => ({ listed: await listedOf(tx, chosen) }))
  return putOnList({ store, clock: context.clock }, chosen)
}

export const removeFromCrawlList = defineAct({
  name: 'directory.remove',
  route: 'DELETE /deployment/directory/publishers/{domain}',
  id: 'takeOffCrawlList',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Takes a publisher off the crawl list, with its rows.',
  fields: {
    domain: DOMAIN,
    kind: oneOf(REMOVALS, 'blocked: until it is unblocked (default: removed)'),
    reason: REASON,
  },
  answer: takenOff,
  command: { text: ({ domain, kind }) => [`${domain} is ${kind}; the directory has no rows about it`] },
  watch: (tx, _context, { domain }) => stateOf(tx, domain),
  run: (context, { domain, kind = 'removed', reason = `${kind} by an operator` }) =>
    takeOffCrawlList(context, domain, { kind, reason }),
})

export const blockDomain = defineAct({
  name: 'directory.block',
  route: 'POST /deployment/directory/publishers/{domain}/block',
  id: 'blockDomain',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Keeps a domain out of the crawl list and out of every answer until it is unblocked.',
  fields: { domain: DOMAIN, reason: REASON },
  answer: takenOff,
  command: { text: ({ domain, kind }) => [`${domain} is ${kind}; the directory has no rows about it`] },
  watch: (tx, _context, { domain }) => stateOf(tx, domain),
  run: (context, { domain, reason = 'blocked by an operator' }) => takeOffCrawlList(context, domain, { kind: 'blocked', reason }),
})

/** Lets a blocked name be added and mentioned again. Throws INVALID_REQUEST, REFERENCE_NOT_FOUND. */
export const unblockDomain = defineAct({
  name: 'directory.unblock',
  route: 'POST /deployment/directory/exclusions/{domain}/unblock',
  id: 'unblockDomain',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Lets a blocked domain be added and mentioned again.',
  fields: { domain: DOMAIN },
  answer: object({ domain: string }),
  command: { text: ({ domain }) => [`${domain} may be added again: directory add ${domain}`] },
  watch: (tx, _context, { domain }) => stateOf(tx, domain),
  async run({ store, clock, noteSubject }, { domain }) {
    const name = requireDomain(domain)
    noteSubject(name)
    await unblock({ store, clock }, name)
    return { domain: name }
  },
})

/** Where domains stand, each by its name. */
async function statesOf(tx: Db, domains: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const states: [string, string][] = []
  for (const domain of domains) states.push([domain, (await stateOf(tx, domain)).state])
  return Object.fromEntries(states)
}

/** How many of some domains are on the list. */
async function listedOf(tx: Db, domains: readonly string[]): Promise<number> {
  return domains.length - (await withoutListed(tx, domains)).length
}

/** Where a domain stands: on the crawl list, by itself or as a file mentions it, kept off it and why, or neither. */
async function stateOf(tx: Db, text: string): Promise<{ readonly state: string }> {
  const domain = requireDomain(text)
  const publisher = await findPublisher(tx, domain)
  // One that a file only mentions waits behind the others until somebody adds it.
  if (publisher) return { state: publisher.priority === 1 ? 'mentioned' : 'listed' }
  return { state: (await findExclusion(tx, domain))?.kind ?? 'not listed' }
}

/**
 * Takes a name off the crawl list with every row about it: `removed` until it is added again, `blocked` until it is unblocked. Throws INVALID_REQUEST for
 * what is no domain, REFERENCE_NOT_FOUND for removing a name that is not on the list.
 */
async function takeOffCrawlList(
  { store, clock, noteSubject }: ActContext,
  domain: string,
  why: { readonly kind: Removal; readonly reason: string },
) {
  const name = requireDomain(domain)
  noteSubject(name)
  await takeOff({ store, clock }, name, why)
  return { domain: name, ...why }
}

async function putOnList(context: Pick<OperatorContext, 'store' | 'clock'>, domains: readonly string[]) {
  if (domains.length === 0) return { added: 0, known: 0 }
  const added = await addDomains(context, domains)
  return { added, known: domains.length - added }
}

function canonicalDomains(domains: readonly string[]): readonly string[] {
  return [...new Set(domains.map(requireDomain))]
}

function subjectOf(domains: readonly string[]): string {
  const [first = ''] = domains
  return domains.length <= 1 ? first : `${first} and ${domains.length - 1} more`
}
