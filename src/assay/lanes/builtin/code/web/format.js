const UNITS = ["B", "kB", "MB", "GB"];

/** A number of bytes as people read it: 1536 is "1.5 kB". */
export function formatBytes(bytes) {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Shortens a long text in its middle, so that both ends can be read. */
export const truncateMiddle = (text, width) => {
  if (text.length <= width) {
    return text;
  }
  const half = Math.floor((width - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(text.length - half)}`;
};
