import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Proposal } from './proposal.ts'

/**
 * The id of a draft that is made from another proposal: one id, one content. It follows from the source and the terms, so that the same ask, sent again,
 * leads to the same draft, and the source keeps its own id and terms.
 */
export function versionIdOf(source: string, { name, allocations, total_budget_guidance, ext }: Proposal): string {
  const terms = allocations.map(({ forecast: _forecast, tags: _tags, ...share }) => share)
  const content = canonicalize({ source, name, terms, total_budget_guidance, ...(ext && { ext }) }) ?? ''
  return `proposal_${hash('sha256', content, 'base64url').slice(0, 22)}`
}
