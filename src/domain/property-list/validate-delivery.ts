import { canNameProperty, type Identifier, IdentifierIndex, identifierSet } from '../directory/property-identifier.ts'
import type { ResolvedPropertyList } from './resolve.ts'

export type RecordStatus = 'compliant' | 'non_compliant' | 'not_covered' | 'unidentified'

/** Whether an agent may sell where it delivered, as far as the directory's index shows. */
export interface SellerAuthorization {
  readonly status: 'authorized' | 'unauthorized' | 'unknown'
  readonly publisherDomain?: string
}

/** Impressions that were delivered to one place. */
export interface DeliveryRecord {
  readonly identifier: Identifier
  readonly impressions: number
  readonly recordId?: string | undefined
  readonly salesAgentUrl?: string | undefined
  /** Present when the record names a sales agent. */
  readonly authorization?: SellerAuthorization | undefined
}

/** A structural check of one record; ids are of the reserved namespaces `record:` and `delivery:`. */
export interface RecordCheck {
  readonly featureId: 'record:list_membership' | 'record:excluded' | 'delivery:seller_authorization'
  readonly status: 'passed' | 'failed' | 'unevaluated'
  readonly explanation: string
}

export interface RecordResult {
  readonly record: DeliveryRecord
  readonly status: RecordStatus
  readonly checks: readonly RecordCheck[]
}

/**
 * What a resolved list says of a record of delivery. Not in the list is non-compliant, also for an unknown property; `not_covered`
 * is what the list named and a filter could not judge; `unidentified` is what names no property.
 * Source: AdCP property/validation-result.json.
 */
export function deliveryJudge(list: ResolvedPropertyList): (record: DeliveryRecord) => RecordResult {
  const members = identifierSet(list.identifiers)
  const dropped = new IdentifierIndex<'excluded' | 'not_covered'>([
    ...list.excluded.map((identifier) => [identifier, 'excluded'] as const),
    ...list.notCovered.map((identifier) => [identifier, 'not_covered'] as const),
  ])
  return (record) => {
    const [status, check] = membership(record.identifier, members, dropped)
    return { record, status, checks: [check, ...authorizationChecks(record)] }
  }
}

function membership(
  identifier: Identifier,
  members: IdentifierIndex<true>,
  dropped: IdentifierIndex<'excluded' | 'not_covered'>,
): [RecordStatus, RecordCheck] {
  const check = (featureId: RecordCheck['featureId'], status: RecordCheck['status'], explanation: string) => ({
    featureId,
    status,
    explanation,
  })
  const reason = dropped.find(identifier)
  if (reason === 'excluded') return ['non_compliant', check('record:excluded', 'failed', 'the list excludes this identifier')]
  if (members.has(identifier)) return ['compliant', check('record:list_membership', 'passed', 'the list holds this identifier')]
  if (reason === 'not_covered') {
    const text = 'the list names this identifier, and a filter asks for what is not known of it'
    return ['not_covered', check('record:list_membership', 'unevaluated', text)]
  }
  if (!canNameProperty(identifier)) {
    const text = `this value of type ${identifier.type} names no property`
    return ['unidentified', check('record:list_membership', 'unevaluated', text)]
  }
  return ['non_compliant', check('record:list_membership', 'failed', 'the list does not hold this identifier')]
}

function authorizationChecks({ authorization }: DeliveryRecord): RecordCheck[] {
  if (!authorization) return []
  const featureId = 'delivery:seller_authorization'
  switch (authorization.status) {
    case 'authorized':
      return [{ featureId, status: 'passed', explanation: 'the publisher authorises this sales agent' }]
    case 'unauthorized':
      return [
        { featureId, status: 'failed', explanation: 'the adagents.json of the publisher does not authorise this sales agent' },
      ]
    case 'unknown':
      return [{ featureId, status: 'unevaluated', explanation: 'the directory has no verified adagents.json of the publisher' }]
  }
}

export interface DeliveryCount {
  readonly records: number
  readonly impressions: number
}

/** Records and impressions for which `belongs` holds. */
export function countRecords(results: readonly RecordResult[], belongs: (result: RecordResult) => boolean): DeliveryCount {
  const those = results.filter(belongs)
  return { records: those.length, impressions: those.reduce((sum, { record }) => sum + record.impressions, 0) }
}

/** True when every record is compliant, false when one is not; undefined while nothing is wrong and not everything could be judged. */
export function isCompliant(results: readonly RecordResult[]): boolean | undefined {
  if (results.some(({ status }) => status === 'non_compliant')) return false
  return results.every(({ status }) => status === 'compliant') ? true : undefined
}
