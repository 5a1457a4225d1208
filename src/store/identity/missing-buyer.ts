import { AdcpError } from '../../protocol/errors.ts'

/** The refusal of a buyer that a publisher does not have. */
export function missingBuyer(tenantId: string, buyer: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no buyer ${buyer} in ${tenantId}`, { field: 'buyer' })
}
