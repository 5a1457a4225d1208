import type { ResolvedPropertyList } from '../../domain/property-list/resolve.ts'

/** Identifiers shown of one part that did not resolve; the count includes the rest. */
const MOST_SHOWN = 100

/**
 * What a list names and this agent knows nothing of, and what a filter dropped for lack of data. The protocol has no field for it, so it goes
 * under `ext.sales_agent` (AdCP core/ext.json); absent when everything resolved.
 */
export function presentUnresolved({ unresolved, notCovered }: ResolvedPropertyList): { ext?: Record<string, unknown> } {
  if (unresolved.length === 0 && notCovered.length === 0) return {}
  return {
    ext: {
      sales_agent: {
        ...(unresolved.length > 0 && {
          unresolved: unresolved.map(({ source, reason, publisherDomain, propertyIds, identifiers }) => ({
            field: `base_properties[${source}]`,
            reason,
            ...(publisherDomain !== undefined && { publisher_domain: publisherDomain }),
            ...(propertyIds && { property_ids: propertyIds.slice(0, MOST_SHOWN) }),
            ...(identifiers && { count: identifiers.length, identifiers: identifiers.slice(0, MOST_SHOWN) }),
          })),
        }),
        ...(notCovered.length > 0 && {
          dropped_for_missing_data: { count: notCovered.length, identifiers: notCovered.slice(0, MOST_SHOWN) },
        }),
      },
    },
  }
}
