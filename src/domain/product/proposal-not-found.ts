import { AdcpError } from '../../protocol/errors.ts'
import { insteadOfOwn } from '../../protocol/nearest-name.ts'

/** PROPOSAL_NOT_FOUND for the id in `field`. `open`: ids of proposals that are open for the buyer, its own newest first. */
export function proposalNotFound(
  id: string,
  field: string,
  open: readonly string[],
  more: { readonly suggestion?: string } = {},
): AdcpError {
  return new AdcpError('PROPOSAL_NOT_FOUND', `${field}: ${noSuchProposal(id, open)}`, { field, ...more })
}

/** The same as a reason. */
export function noSuchProposal(id: string, open: readonly string[]): string {
  const elsewhere = 'get_products and request_proposals make proposals, which expire'
  return `no proposal with this id is open for you${insteadOfOwn(id, open, { label: 'open ones', elsewhere })}`
}
