import { Base } from "./base";

/** Where the service is. */
export const ENDPOINT = "https://example.org";
const a = 1,
  b = 2;

export interface Options {
  timeout: number;
  retry(count: number): boolean;
}

export type Handler = (event: string) => void;
type Options2 = Options;

export enum Level {
  Low,
  High,
}

/** Speaks to the service. */
@Injectable()
export class Client extends Base {
  static shared = new Client();
  private onError = (fault: Error) => {
    console.log(fault);
  };

  constructor(private options: Options) {
    super();
  }

  get url(): string {
    return ENDPOINT;
  }

  @Log()
  async fetchSpec(id: string): Promise<string> {
    const local = 3;
    const inner = () => local;
    return String(inner());
  }
}

export abstract class Shape {
  abstract area(): number;
}

export function parse(value: string): string;
export function parse(value: number): number;
export function parse(value: any): any {
  return value;
}

export const format = async (value: number) => `${value}`;

namespace Tools.Text {
  export function trim(text: string) {
    return text.trim();
  }
}

[1, 2].forEach((each) => {
  const hidden = each;
  function shown() {
    return hidden;
  }
});

export default function () {
  return 1;
}
