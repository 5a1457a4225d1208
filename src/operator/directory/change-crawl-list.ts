import { addDomains, requireDomain, takeOff, unblock } from '../../features/directory/crawl-list.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/**
 * Puts domains on the crawl list, due at once, as one act in the audit log. Returns how many are new and how many were on it. Throws INVALID_REQUEST
 * naming the first that is no domain, or that is blocked. `tenantId`: the publisher in whose log the act is, when one of its people does it; else that of the deployment.
 */
export async function addToCrawlList(
  context: OperatorContext,
  domains: readonly string[],
  tenantId?: string,
): Promise<{ readonly added: number; readonly known: number }> {
  const canonical = [...new Set(domains.map(requireDomain))]
  const [first] = canonical
  if (first === undefined) return { added: 0, known: 0 }
  const subject = canonical.length === 1 ? first : `${first} and ${canonical.length - 1} more`
  const store = auditedStore(context, { task: 'directory.add', subject, ...(tenantId !== undefined && { tenant: tenantId }) })
  const added = await addDomains({ store, clock: context.clock }, canonical)
  return { added, known: canonical.length - added }
}

/**
 * Takes a name off the crawl list with every row about it: `removed` until it is added again, `blocked` until it is unblocked. Returns its
 * canonical form. Throws INVALID_REQUEST for what is no domain, REFERENCE_NOT_FOUND for removing a name that is not on the list.
 */
export async function takeOffCrawlList(
  context: OperatorContext,
  domain: string,
  why: { readonly kind: 'removed' | 'blocked'; readonly reason: string },
): Promise<string> {
  const name = requireDomain(domain)
  const task = why.kind === 'removed' ? 'directory.remove' : 'directory.block'
  await takeOff({ store: auditedStore(context, { task, subject: name }), clock: context.clock }, name, why)
  return name
}

/** Lets a blocked name be added and mentioned again; returns its canonical form. Throws INVALID_REQUEST, REFERENCE_NOT_FOUND. */
export async function unblockDomain(context: OperatorContext, domain: string): Promise<string> {
  const name = requireDomain(domain)
  await unblock({ store: auditedStore(context, { task: 'directory.unblock', subject: name }), clock: context.clock }, name)
  return name
}
