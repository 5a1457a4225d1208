import type { CreativeStatus } from '../../domain/creative/creative.ts'
import type { PurgeReason } from '../../domain/creative/purge.ts'

export interface CreativeAssignmentTables {
  creative_assignments: {
    tenant_id: string
    principal_id: string
    package_id: string
    /** The buyer's id; no creative of it need be there yet. */
    creative_id: string
    position: number
    weight: number | null
    placement_ids: string | null
    assigned_at: string
    /** Closed stretches in which the creative could serve on the package, as JSON. */
    served: string
  }
}

export interface CreativeTombstoneTables {
  /** The columns of a creative as they were, its document without assets, and when and why it was destroyed. */
  creative_tombstones: CreativeTables['creatives'] & { purged_at: string; purge_reason: PurgeReason }
}

export interface CreativeTables {
  creatives: {
    tenant_id: string
    principal_id: string
    /** '' for a creative that every account of the agent has. */
    account_id: string
    creative_id: string
    name: string
    /** Lower case, for searches. */
    name_folded: string
    /** Canonical address of the agent that owns the format. */
    format_agent: string
    format_id: string
    format_width: number | null
    format_height: number | null
    format_duration: number | null
    concept_id: string | null
    has_variables: number
    status: CreativeStatus
    status_reason: string | null
    approved_at: string | null
    /** The content as JSON. */
    document: string
    revision: number
    created_at: string
    updated_at: string
  }
  creative_tags: {
    tenant_id: string
    principal_id: string
    account_id: string
    creative_id: string
    tag: string
  }
}

export interface CustomFormatTables {
  custom_formats: {
    tenant_id: string
    format_id: string
    position: number
    /** The format as its import file has it, as JSON. */
    document: string
    updated_at: string
  }
}

export interface PreviewTables {
  previews: {
    preview_id: string
    tenant_id: string
    html: string
    /** 1 when the page shows third-party code, which needs a wider sandbox. */
    scripts: number
    expires_at: string
  }
}
