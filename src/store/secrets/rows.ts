export interface LastingKeyTables {
  /** Keys that outlive a rotation of the deployment's secret, sealed. */
  lasting_keys: { purpose: string; sealed: string; created_at: string }
}

export interface SecretHolderTables {
  /** Running processes and the ids of the deployment's secrets that each has. */
  secret_holders: {
    holder_id: string
    machine: string
    pid: number
    /** Where it has them from: a file, or `environment`. */
    source: string
    /** Id of the one that it encrypts with. */
    seals: string
    /** JSON array of the ids of those that it opens. */
    opens: string
    seen_at: string
  }
}

export interface SecretRotationTables {
  /** Rotations of the deployment's secret; secrets are named by their ids alone. */
  secret_rotations: {
    /** Id of the secret that encrypts since. */
    secret_id: string
    /** Id of the one before it. */
    previous_id: string
    switched_at: string
    /** When nothing was left that is sealed under the one before. */
    resealed_at: string | null
    /** When the one before was taken out of use. */
    retired_at: string | null
  }
}
