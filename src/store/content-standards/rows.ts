export type Dimension = 'channel' | 'country' | 'language'

export interface ContentStandardsTables {
  content_standards: {
    tenant_id: string
    standards_id: string
    principal_id: string
    /** The version in force. */
    version: number
    created_at: string
    updated_at: string
  }
  /** Every version there was, as JSON. */
  content_standards_versions: {
    tenant_id: string
    standards_id: string
    version: number
    document: string
    created_at: string
  }
  /** The scope of the version in force, for filters. A dimension without a row is not restricted. */
  content_standards_scopes: {
    tenant_id: string
    standards_id: string
    dimension: Dimension
    value: string
  }
}
