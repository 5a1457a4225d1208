import type { InputNotes } from '../../pipeline/task.ts'

export const SYNC_CREATIVES: InputNotes = {
  'creatives.format_kind': '',
  'creatives.assets': 'By asset_id of the format: {asset_type, url} or {asset_type, content}',
  assignments: '',
}

export const LIST_CREATIVES: InputNotes = {
  'filters.creative_ids': '',
  'filters.statuses': '',
  'filters.media_buy_ids': '',
  'filters.name_contains': '',
}

export const PREVIEW_CREATIVE: InputNotes = {
  creative_manifest: '',
}
