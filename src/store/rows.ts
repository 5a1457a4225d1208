export interface StoredUpgradeTables {
  /** Changes of stored documents that were made at a start of the server. */
  stored_upgrades: { name: string; done_at: string }
}
