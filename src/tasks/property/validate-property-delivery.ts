import type { ValidatePropertyDeliveryRequestSchema, ValidatePropertyDeliveryResponseSchema } from '@adcp/sdk/types'
import { resolvePropertyList } from '../../domain/property-list/resolve.ts'
import {
  countRecords,
  type DeliveryRecord,
  deliveryJudge,
  isCompliant,
  type RecordResult,
} from '../../domain/property-list/validate-delivery.ts'
import { defineTask } from '../../pipeline/task.ts'
import { eachInTurns, inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { getList } from '../../store/inventory-list/inventory-lists.ts'
import { listScopeOf } from '../inventory-lists.ts'
import { knownProperties } from './known-properties.ts'
import type { PropertyListDocument } from './present-property-list.ts'
import { withAuthorizations } from './seller-authorizations.ts'

type Request = (typeof ValidatePropertyDeliveryRequestSchema)['_output']
type Response = (typeof ValidatePropertyDeliveryResponseSchema)['_output']

export const validatePropertyDelivery = defineTask<Request, Response>()({
  name: 'validate_property_delivery',
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'Hold delivered impressions against a property list: which places were on it, who was authorised to sell.',
  async handle(request, context) {
    const { tx, now } = context
    const list = await getList<PropertyListDocument>(tx, listScopeOf(context), 'property', request.list_id)
    const knowledge = await knownProperties(context, list.document)
    const records = await withAuthorizations(tx, request.records.map(recordOf), knowledge.own)
    const judge = deliveryJudge(await inTurns(resolvePropertyList(list.document, knowledge)))
    const results: RecordResult[] = []
    const shown: Response['results'][number][] = []
    await eachInTurns(records, (record) => {
      const result = judge(record)
      results.push(result)
      if (request.include_compliant || result.status !== 'compliant') shown.push(presentResult(result))
    })
    const compliant = isCompliant(results)
    return {
      ...(compliant !== undefined && { compliant }),
      list_id: list.listId,
      summary: summaryOf(results),
      ...(records.some(({ authorization }) => authorization) && { authorization_summary: authorizationSummaryOf(results) }),
      results: shown,
      validated_at: now.toISOString(),
      list_resolved_at: now.toISOString(),
    }
  },
})

function recordOf({ identifier, impressions, record_id, sales_agent_url }: Request['records'][number]): DeliveryRecord {
  return { identifier, impressions, recordId: record_id, salesAgentUrl: sales_agent_url }
}

function summaryOf(results: readonly RecordResult[]): Response['summary'] {
  const total = countRecords(results, () => true)
  const of = (status: RecordResult['status']) => countRecords(results, (result) => result.status === status)
  const [compliant, wrong, notCovered, unidentified] = [
    of('compliant'),
    of('non_compliant'),
    of('not_covered'),
    of('unidentified'),
  ]
  return {
    total_records: total.records,
    total_impressions: total.impressions,
    compliant_records: compliant.records,
    compliant_impressions: compliant.impressions,
    non_compliant_records: wrong.records,
    non_compliant_impressions: wrong.impressions,
    not_covered_records: notCovered.records,
    not_covered_impressions: notCovered.impressions,
    unidentified_records: unidentified.records,
    unidentified_impressions: unidentified.impressions,
  }
}

function authorizationSummaryOf(results: readonly RecordResult[]): Response['authorization_summary'] {
  const checked = countRecords(results, ({ record }) => record.authorization !== undefined)
  const of = (status: string) => countRecords(results, ({ record }) => record.authorization?.status === status)
  const [authorized, unauthorized, unknown] = [of('authorized'), of('unauthorized'), of('unknown')]
  return {
    records_checked: checked.records,
    impressions_checked: checked.impressions,
    authorized_records: authorized.records,
    authorized_impressions: authorized.impressions,
    unauthorized_records: unauthorized.records,
    unauthorized_impressions: unauthorized.impressions,
    unknown_records: unknown.records,
    unknown_impressions: unknown.impressions,
  }
}

function presentResult({ record, status, checks }: RecordResult): Response['results'][number] {
  const { identifier, impressions, recordId, salesAgentUrl, authorization } = record
  return {
    identifier: { ...identifier },
    ...(recordId !== undefined && { record_id: recordId }),
    status,
    impressions,
    features: checks.map(({ featureId, ...check }) => ({ feature_id: featureId, ...check })),
    ...(authorization && {
      authorization: {
        status: authorization.status,
        ...(authorization.publisherDomain !== undefined && { publisher_domain: authorization.publisherDomain }),
        ...(salesAgentUrl !== undefined && { sales_agent_url: salesAgentUrl }),
        ...(authorization.status === 'unauthorized' && {
          violation: { code: 'agent_not_authorized', message: 'the publisher does not authorise this sales agent' },
        }),
      },
    }),
  }
}
