// How a record comes into the page to be looked at.
import { reader } from "../tools";
import { value_of } from "../world";
import { Button, Fold, Text } from "./parts";

/** Takes a record to look at: as a file, or as pasted text. */
export const Load = ({ title }: { title: string }) => (
  <Fold id="load" title={title}>
    <p>Drop a file anywhere on the page, choose one, or paste its text. Nothing is sent anywhere.</p>
    <label>
      File
      <input
        id="file"
        type="file"
        aria-label="A record from a file"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) reader.file(file);
        }}
      />
    </label>
    <label>
      Or the text of a game
      <Text id="paste" label="A record, pasted" />
    </label>
    <Button id="verify" act={() => value_of("paste") && reader.text((document.getElementById("paste") as HTMLTextAreaElement).value)}>
      Verify
    </Button>
  </Fold>
);
